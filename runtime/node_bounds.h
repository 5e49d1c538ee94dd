// The error bounds of one node, by kind of operator (rounding_bounds.h).
#pragma once

#include <optional>
#include <vector>

#include "runtime/rounding_bounds.h"

namespace weft::runtime {

class NodeBounds {
 public:
  explicit NodeBounds(const BoundedNode& what) : what_(what), node_(what.node) {}

  /// Conv, Gemm and MatMul, with bias, residual and activation.
  BoundedResult contraction() const;
  /// For results that are elements of the operands, or truth values.
  BoundedResult exact() const;
  /// For results of sums and products that are exact while all operands are finite. Otherwise the
  /// machine may give NaN.
  BoundedResult of_finite() const;
  /// A function of elements that rounds its result at most four times, and is monotonic or has a
  /// slope of at most 1.5. Also for elements that are only moved.
  BoundedResult elementwise() const;
  /// Averages of windows.
  BoundedResult average() const;
  /// Rounding errors of the additions and the division.
  BoundedResult sum() const;
  /// Relative error of exp(x - max): the subtraction adds at most |x - max| * u in the exponent,
  /// exp one rounding. A sum of n positive terms adds gamma(n), the division one rounding.
  BoundedResult softmax() const;
  /// LayerNormalization.
  BoundedResult normalization() const;

 private:
  using Tensor = graph::Tensor;
  using OptionalTensors = std::vector<std::optional<Tensor>>;

  struct RowError {
    double mean = 0;
    double mean_error = 0;
    double sigma = 1;
    double sigma_error = 0;
    double largest_sum = 0;  // of |x|, or of squared deviations if that is larger
  };

  OptionalTensors operands() const;
  std::vector<bool> passing_beyond(const OptionalTensors& given, const Tensor& result) const;
  Tensor evaluate(const graph::Node& node, const OptionalTensors& operands,
                  const graph::Attributes& attributes) const;
  /// Adds the last rounding to a result whose error so far is at most `bound`.
  BoundedResult rounded(Tensor expected, Tensor bound, std::vector<bool> beyond = {}) const;
  /// Upper bound on the roundings of one sum: products over the taps, folds, bias, residual.
  double roundings() const;
  /// Error of a function of an inexact argument, plus one rounding of the result. The functions are
  /// monotonic except HardSwish and Abs, and the slope of these is at most 1.5.
  static Tensor function_error(const Tensor& y, const Tensor& above, const Tensor& below,
                               const Tensor& error);
  static RowError row_error(std::span<const double> x, double epsilon);

  const BoundedNode& what_;
  const graph::Node& node_;
};

}  // namespace weft::runtime
