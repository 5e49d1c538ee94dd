// The operands of the product that all devices compute, and what it is in float64. All see the same
// numbers, drawn in float32, so that a device's difference from float64 has in it what rounding the
// operands to its format costs:
//
//   fp32         as drawn
//   bf16, fp16   rounded to nearest even
//   int8         round(127 * x), and the result scaled back by 1 / 127^2
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/devices/gemm_model.h"
#include "models/random.h"
#include "sim/memory/matrix.h"

namespace weft::cli {

class ProductValues {
 public:
  /// A [M,K] and B [K,N], uniform in [-1, 1). `shape` is one product. Without `compared` nothing is
  /// compared with float64.
  ProductValues(const devices::GemmShape& shape, std::uint64_t seed, bool compared);

  const devices::GemmShape& shape() const { return shape_; }
  bool compared() const { return compared_; }
  std::span<const float> a() const { return floats(a_); }
  std::span<const float> b() const { return floats(b_); }
  /// One of the operands as the array takes it.
  Matrix operand(RandomStream which, ElementType type) const;

  /// The largest difference of `result` [M,N], row-major, from the product in float64, which is
  /// computed when it is first needed. NaN if the result has one; none without comparison.
  std::optional<double> largest_error(std::span<const float> result);
  /// The same of an array's result: float32, or int32 sums of int8.
  std::optional<double> largest_error(const Matrix& result);
  /// The same of sums that a library gave; `int8` if they are of operands scaled to int8.
  std::optional<double> largest_error(std::span<const double> result, bool int8);

  /// Whether the float64 product is a matter of seconds.
  static bool affordable(const devices::GemmShape& shape);
  /// Bytes of operands, float64 product and one device's operands and result.
  static double bytes(const devices::GemmShape& shape);

 private:
  static std::span<const float> floats(const Matrix& matrix);
  const std::vector<double>& exact();
  /// Over result(i) for each element i, row-major.
  template <class Result>
  std::optional<double> largest_difference(Result result);

  devices::GemmShape shape_;
  bool compared_;
  Matrix a_;
  Matrix b_;
  std::optional<std::vector<double>> exact_;
};

/// Calls part(first, count) for parts of [0, count) on all of this computer's threads.
void in_parallel(std::uint64_t count,
                 const std::function<void(std::uint64_t first, std::uint64_t count)>& part);

}  // namespace weft::cli
