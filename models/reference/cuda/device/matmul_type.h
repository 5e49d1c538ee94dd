// The types of arithmetic for matrix products on a CUDA device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::cuda {

// Operands -> sums:
enum class MatmulType : std::uint8_t {
  kFloat32,  // float32 -> float32, without tensor cores
  kTf32,     // float32 rounded to 11 bits -> float32, on tensor cores
  kBf16,     // bf16 -> float32
  kFp16,     // fp16 -> float32
  kInt8,     // int8 -> int32
};

inline constexpr std::array kMatmulTypes = {MatmulType::kFloat32, MatmulType::kTf32,
                                            MatmulType::kBf16, MatmulType::kFp16,
                                            MatmulType::kInt8};
inline constexpr std::array<std::string_view, kMatmulTypes.size()> kMatmulTypeNames = {
    "fp32", "tf32", "bf16", "fp16", "int8"};

/// "fp32", "tf32", "bf16", "fp16" or "int8".
constexpr std::string_view to_string(MatmulType type) {
  return kMatmulTypeNames[static_cast<std::size_t>(type)];
}

/// The inverse of to_string(); nullopt for an unknown name.
constexpr std::optional<MatmulType> matmul_type_from_string(std::string_view name) {
  for (const MatmulType type : kMatmulTypes) {
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
}

/// Bytes per operand element.
constexpr std::int64_t operand_bytes(MatmulType type) {
  if (type == MatmulType::kInt8) return 1;
  return type == MatmulType::kBf16 || type == MatmulType::kFp16 ? 2 : 4;
}

/// The largest relative error of rounding an operand to this type; 0 if it is exact.
constexpr double operand_rounding(MatmulType type) {
  constexpr double kTwoToMinus8 = 1.0 / 256;
  constexpr double kTwoToMinus11 = 1.0 / 2048;
  switch (type) {
    case MatmulType::kBf16:
      return kTwoToMinus8;
    case MatmulType::kFp16:
      return kTwoToMinus11;
    // Tensor cores read the upper 19 bits of a float32 and ignore the rest, so they truncate
    // instead of rounding.
    case MatmulType::kTf32:
      return 2 * kTwoToMinus11;
    case MatmulType::kFloat32:
    case MatmulType::kInt8:
      break;
  }
  return 0;
}

/// The magnitude below which an operand of this type loses bits: fp16 rounds it to a multiple of
/// 2^-24, so by at most operand_rounding() of this magnitude. The other types have float32's range;
/// their subnormals are left out.
constexpr double smallest_normal_operand(MatmulType type) {
  return type == MatmulType::kFp16 ? 1.0 / (1 << 14) : 0;
}

}  // namespace weft::cuda
