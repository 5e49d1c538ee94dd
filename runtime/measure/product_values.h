// The operands of the product that all devices compute, and the product in float64. All devices get
// the same numbers, drawn in float32. A device's difference from float64 therefore includes
// rounding the operands to its format:
//
//   fp32         as drawn
//   bf16, fp16   rounded to nearest even
//   int8         round(127 * x); the result is scaled back by 1 / 127^2
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/devices/gemm_model.h"
#include "models/random.h"
#include "sim/memory/matrix.h"

namespace weft::runtime {

class ProductValues {
 public:
  /// Draws A [M,K] and B [K,N] uniformly from [-1, 1). Without `compared`, no result is compared
  /// with float64.
  ProductValues(const devices::GemmShape& shape, std::uint64_t seed, bool compared);

  const devices::GemmShape& shape() const { return shape_; }
  bool compared() const { return compared_; }
  std::span<const float> a() const { return floats(a_); }
  std::span<const float> b() const { return floats(b_); }
  /// One operand in the array's element type.
  Matrix operand(RandomStream which, ElementType type) const;

  /// Largest difference of `result` [M,N], row-major, from the float64 product, which the first
  /// call computes. NaN if the result has a NaN; nullopt without comparison.
  std::optional<double> largest_error(std::span<const float> result);
  /// Same for an array's result: float32, or int32 sums of int8 products.
  std::optional<double> largest_error(const Matrix& result);
  /// Same for a library's result; `int8` if the operands were scaled to int8.
  std::optional<double> largest_error(std::span<const double> result, bool int8);

  /// True if the float64 product takes seconds at most.
  static bool affordable(const devices::GemmShape& shape);
  /// Bytes of operands, float64 product and one device's operands and result.
  static double bytes(const devices::GemmShape& shape);

 private:
  static std::span<const float> floats(const Matrix& matrix);
  const std::vector<double>& exact();
  /// Compares result(i) for each element i, row-major.
  template <class Result>
  std::optional<double> largest_difference(Result result);

  devices::GemmShape shape_;
  bool compared_;
  Matrix a_;
  Matrix b_;
  std::optional<std::vector<double>> exact_;
};

/// Splits [0, count) among all of this computer's threads and calls part(first, count) for each
/// part.
void in_parallel(std::uint64_t count,
                 const std::function<void(std::uint64_t first, std::uint64_t count)>& part);

}  // namespace weft::runtime
