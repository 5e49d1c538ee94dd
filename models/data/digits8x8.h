// The real handwritten digits that come with Weft: 1797 images of 8 x 8 pixels by 13 people, from
// "Optical Recognition of Handwritten Digits" of E. Alpaydin and C. Kaynak (UCI Machine Learning
// Repository, 1998, CC BY 4.0; see NOTICE). A pixel counts the black dots in a 4 x 4 square of the
// scan, 0 to 16.
#pragma once

#include <string_view>

#include "models/data/dataset.h"

namespace weft::data {

inline constexpr std::int64_t kDigits8x8Size = 8;
inline constexpr std::int64_t kDigits8x8Count = 1797;
inline constexpr int kDigits8x8Classes = 10;
/// Every fifth image (numbers 4, 9, 14, ...) is a test image. The file lists one writer after the
/// other, so both parts get images of every writer.
inline constexpr std::int64_t kDigits8x8Fold = 5;

/// 1438 training images and 359 test images, float32 [count, 8, 8], value / 16.
Dataset digits8x8();

/// The embedded file. Each line is one image: 64 characters (0 to 9 and a to g), a space, the
/// digit.
std::string_view digits8x8_text();

}  // namespace weft::data
