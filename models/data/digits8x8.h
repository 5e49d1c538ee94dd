// The real handwritten digits that come with weft: 1797 images of 8 x 8 pixels by 13 people, from
// "Optical Recognition of Handwritten Digits" of E. Alpaydin and C. Kaynak (UCI Machine Learning
// Repository, 1998, CC BY 4.0; see NOTICE). A pixel counts the ink of a square of 4 x 4, 0 to 16.
#pragma once

#include <string_view>

#include "models/data/dataset.h"

namespace weft::data {

inline constexpr std::int64_t kDigits8x8Size = 8;
inline constexpr std::int64_t kDigits8x8Count = 1797;
inline constexpr int kDigits8x8Classes = 10;
/// Every fifth image (numbers 4, 9, 14, ...) is for testing, so that both parts have images of all
/// writers, who come one after the other.
inline constexpr std::int64_t kDigits8x8Fold = 5;

/// 1438 images to learn from and 359 to test, float32 [count, 8, 8], value / 16.
Dataset digits8x8();

/// The file as it is embedded: one line an image, 64 characters 0 to 9 and a to g, a space, the
/// digit.
std::string_view digits8x8_text();

}  // namespace weft::data
