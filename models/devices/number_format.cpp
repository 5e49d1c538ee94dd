#include "models/devices/number_format.h"

#include <algorithm>

namespace weft::devices {

std::optional<NumberFormat> number_format_from_string(std::string_view name) {
  const auto found = std::ranges::find(kNumberFormatNames, name);
  if (found == kNumberFormatNames.end()) return std::nullopt;
  return static_cast<NumberFormat>(found - kNumberFormatNames.begin());
}

unsigned operand_bytes(NumberFormat format) {
  switch (format) {
    case NumberFormat::kFp32:
    case NumberFormat::kTf32:
      return 4;
    case NumberFormat::kBf16:
    case NumberFormat::kFp16:
      return 2;
    case NumberFormat::kInt8:
      return 1;
  }
  return 0;
}

unsigned result_bytes(NumberFormat format) {
  return format == NumberFormat::kInt8 ? 4 : operand_bytes(format);
}

}  // namespace weft::devices
