// The number formats in which devices multiply matrices, and the bytes per element.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::devices {

/// fp32: plain float32. tf32: float32 in memory, 10 bits of mantissa in the multiplier. bf16, fp16:
/// sums in float32. int8: sums in int32.
enum class NumberFormat : std::uint8_t { kFp32, kTf32, kBf16, kFp16, kInt8 };

inline constexpr std::size_t kNumberFormats = 5;
inline constexpr std::array<std::string_view, kNumberFormats> kNumberFormatNames = {
    "fp32", "tf32", "bf16", "fp16", "int8"};

constexpr std::string_view to_string(NumberFormat format) {
  return kNumberFormatNames[static_cast<std::size_t>(format)];
}

/// The inverse of to_string(); nullopt for an unknown name.
std::optional<NumberFormat> number_format_from_string(std::string_view name);

/// Bytes per operand element in memory.
unsigned operand_bytes(NumberFormat format);
/// Bytes per result element: 4 for the int32 sums of int8, else the operands' width.
unsigned result_bytes(NumberFormat format);

}  // namespace weft::devices
