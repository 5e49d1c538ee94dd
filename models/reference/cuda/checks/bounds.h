// How far a product on a device may differ from the exact one.
#pragma once

#include <cmath>
#include <cstdint>

#include "models/reference/cuda/device/matmul_type.h"

namespace weft::cuda {

/// A magnitude r such that rounding the operand changes it by at most u * r, with u =
/// operand_rounding(type). It is larger than the operand's own if that is subnormal in this type.
inline double rounded_magnitude(MatmulType type, double element) {
  return element == 0 ? 0 : std::abs(element) + smallest_normal_operand(type);
}

/// Error bound of a sum of `depth` products, relative to the sum of their magnitudes, in which each
/// operand counts with its rounded_magnitude(). Both operands are rounded by at most u of it, so
/// each product is off by at most 2u + u^2. The `depth` additions may
/// have any order. In float32, each addition rounds by 2^-24. Tensor cores align the terms and
/// truncate them instead, which costs at most four times as much: two bits, as Fasi et al.,
/// "Numerical behavior of NVIDIA tensor cores", 2021, found for the oldest of them. int8 is exact.
constexpr double product_bound(MatmulType type, std::int64_t depth) {
  if (type == MatmulType::kInt8) return 0;
  constexpr double kUnit = 1.0 / (1 << 24);
  const double u = operand_rounding(type);
  const double addition = type == MatmulType::kFloat32 ? kUnit : 4 * kUnit;
  const double rounding = 2 * u + u * u;
  return rounding + (1 + rounding) * addition * static_cast<double>(depth + 1);
}

}  // namespace weft::cuda
