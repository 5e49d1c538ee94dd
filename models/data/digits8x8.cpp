#include "models/data/digits8x8.h"

#include <cassert>

namespace weft::data {
namespace {

constexpr std::size_t kPixels = kDigits8x8Size * kDigits8x8Size;
constexpr std::size_t kLine = kPixels + 3;  // pixels, a space, the digit, the line's end
constexpr float kLargest = 16;

float pixel(char c) {
  return static_cast<float>(c <= '9' ? c - '0' : c - 'a' + 10) / kLargest;
}

/// The last image of each fold of kDigits8x8Fold images if `test`, else all others.
Examples part(std::string_view text, bool test) {
  Examples examples;
  std::vector<float> pixels;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kDigits8x8Count); ++i) {
    if ((i % kDigits8x8Fold == kDigits8x8Fold - 1) != test) continue;
    const std::string_view line = text.substr(i * kLine, kLine);
    for (const char c : line.substr(0, kPixels)) pixels.push_back(pixel(c));
    examples.labels.push_back(line[kPixels + 1] - '0');
  }
  examples.images =
      graph::Tensor::of<float>({examples.count(), kDigits8x8Size, kDigits8x8Size}, pixels);
  examples.source = examples.image_source = "embedded digits";
  return examples;
}

}  // namespace

Dataset digits8x8() {
  const std::string_view text = digits8x8_text();
  assert(text.size() == kDigits8x8Count * kLine);
  return {"embedded digits", part(text, false), part(text, true)};
}

}  // namespace weft::data
