#include "runtime/node_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"

namespace weft::runtime {
namespace {

using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

constexpr double kUnit = 0x1p-24;
// From here on binary32 rounds to infinity. It is half a step above the largest finite number.
constexpr double kOverflow = 0x1p128 - 0x1p103;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double gamma(double roundings) {
  return roundings * kUnit / (1 - roundings * kUnit);
}

std::span<const double> doubles(const Tensor& tensor) {
  return tensor.data<double>();
}

Tensor mapped(const Tensor& tensor, const std::function<double(double)>& function) {
  Tensor result(graph::DataType::kFloat64, tensor.shape());
  std::ranges::transform(doubles(tensor), result.mutable_data<double>().begin(), function);
  return result;
}

/// Infinities and NaN become 0: an error concerns only the numbers beside them.
Tensor magnitudes(const Tensor& tensor) {
  return mapped(tensor, [](double x) { return std::isfinite(x) ? std::abs(x) : 0; });
}

/// True where a sum or a partial sum may leave binary32. No partial sum exceeds the sum of
/// magnitudes `sizes` plus its rounding.
std::vector<bool> beyond_binary32(const Tensor& sizes, double rounding) {
  std::vector<bool> beyond;
  for (const double size : doubles(sizes)) beyond.push_back(size * (1 + rounding) >= kOverflow);
  return beyond;
}

void allow_any(const std::vector<bool>& beyond, Tensor& bound) {
  for (std::size_t i = 0; i < beyond.size(); ++i) {
    if (beyond[i]) bound.mutable_data<double>()[i] = kInfinity;
  }
}

double largest(const Tensor& tensor) {
  double most = 0;
  for (const double x : doubles(tensor)) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

NodeBounds::OptionalTensors NodeBounds::operands() const {
  OptionalTensors result;
  for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
    result.push_back(node_.inputs[i] == graph::kNoValue ? std::nullopt
                                                        : std::optional(what_.operand(i)));
  }
  return result;
}

Tensor NodeBounds::evaluate(const Node& node, const OptionalTensors& operands,
                            const graph::Attributes& attributes) const {
  std::vector<const Tensor*> pointers;
  for (const auto& operand : operands) pointers.push_back(operand ? &*operand : nullptr);
  return evaluate_in_double(what_.graph, node, pointers, attributes).front();
}

BoundedResult NodeBounds::rounded(Tensor expected, Tensor bound, std::vector<bool> beyond) const {
  if (what_.wide) return {std::move(expected), std::move(bound), std::move(beyond)};
  const bool bf16 = what_.dtype == ElementType::kBf16;
  const double unit = bf16 ? 0x1p-8 : 0x1p-11;
  const double smallest = bf16 ? 0x1p-134 : 0x1p-25;  // half the smallest subnormal
  const auto out = bound.mutable_data<double>();
  const auto y = doubles(expected);
  for (std::size_t i = 0; i < y.size(); ++i) {
    out[i] += unit * (std::abs(y[i]) + out[i]) + smallest;
  }
  return {std::move(expected), std::move(bound), std::move(beyond)};
}

BoundedResult NodeBounds::exact() const {
  Tensor expected = evaluate(node_, operands(), node_.attributes);
  Tensor bound(graph::DataType::kFloat64, expected.shape());
  return {std::move(expected), std::move(bound)};
}

BoundedResult NodeBounds::of_finite() const {
  const OptionalTensors given = operands();
  BoundedResult result = exact();
  bool finite = true;
  for (const auto& operand : given) {
    if (!operand || operand->type() != graph::DataType::kFloat64) continue;
    finite =
        finite && std::ranges::all_of(doubles(*operand), [](double x) { return std::isfinite(x); });
  }
  if (finite) return result;
  result.beyond.assign(static_cast<std::size_t>(result.bound.size()), true);
  std::ranges::fill(result.bound.mutable_data<double>(), kInfinity);
  return result;
}

double NodeBounds::roundings() const {
  const graph::Shape& weights = what_.graph.type(node_.inputs[1]).shape;
  const std::int64_t products =
      node_.op == Op::kConv ? graph::element_count(weights) / std::max<std::int64_t>(1, weights[0])
                            : what_.graph.type(node_.inputs[0]).shape.back();
  return 2.0 * static_cast<double>(products) + 4;
}

BoundedResult NodeBounds::contraction() const {
  OptionalTensors given = operands();
  OptionalTensors sizes;
  for (const auto& operand : given) {
    sizes.push_back(operand ? std::optional(magnitudes(*operand)) : std::nullopt);
  }
  graph::Attributes plain = node_.attributes;
  for (const char* name : {"activation", "activation_alpha", "activation_beta"}) {
    plain.erase(name);
  }
  const double share = gamma(roundings());
  const Tensor sums = evaluate(node_, sizes, plain);
  std::vector<bool> beyond = beyond_binary32(sums, share);
  Tensor error = mapped(sums, [&](double sum) {
    return share * sum + 0x1p-125;  // and underflow of products and sums
  });
  const Tensor before = evaluate(node_, given, plain);
  const std::string activation = node_.attributes.text("activation", "");
  if (activation.empty()) return rounded(before, std::move(error), std::move(beyond));
  allow_any(beyond, error);
  Tensor expected = evaluate(node_, given, node_.attributes);
  // Evaluate the activation at the sum, and one error above and below it.
  given.resize(4);
  const auto moved = [&](double sign) {
    OptionalTensors shifted = given;
    Tensor offset = shifted[3] ? *shifted[3] : Tensor(graph::DataType::kFloat64, before.shape());
    const auto out = offset.mutable_data<double>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += sign * doubles(error)[i];
    shifted[3] = offset;
    return evaluate(node_, shifted, node_.attributes);
  };
  Tensor bound = function_error(expected, moved(1), moved(-1), error);
  return rounded(std::move(expected), std::move(bound), std::move(beyond));
}

Tensor NodeBounds::function_error(const Tensor& y, const Tensor& above, const Tensor& below,
                                  const Tensor& error) {
  Tensor bound(graph::DataType::kFloat64, y.shape());
  const auto out = bound.mutable_data<double>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double moved = std::max(std::abs(doubles(above)[i] - doubles(y)[i]),
                                  std::abs(doubles(below)[i] - doubles(y)[i]));
    const double delta = doubles(error)[i];
    if (std::isinf(delta)) {
      out[i] = kInfinity;
      continue;
    }
    out[i] = moved + (delta > 0 ? 1.5 * delta : 0) + 4 * kUnit * std::abs(doubles(y)[i]) + 0x1p-149;
  }
  return bound;
}

BoundedResult NodeBounds::elementwise() const {
  const OptionalTensors given = operands();
  Tensor expected = evaluate(node_, given, node_.attributes);
  const ValueId argument = node_.inputs[0];
  const bool binary = node_.inputs.size() == 2 && node_.op != Op::kClip;
  std::vector<bool> beyond = passing_beyond(given, expected);
  if (binary || what_.is_held(argument) || what_.graph.is_constant(argument)) {
    Tensor bound = mapped(expected, [](double y) { return 4 * kUnit * std::abs(y) + 0x1p-149; });
    allow_any(beyond, bound);
    return rounded(std::move(expected), std::move(bound), std::move(beyond));
  }
  // The argument is a combination that the machine computed in passing, with one rounding.
  const Tensor error =
      mapped(*given[0], [](double x) { return 4 * kUnit * std::abs(x) + 0x1p-149; });
  const auto moved = [&](double sign) {
    OptionalTensors shifted = given;
    const auto out = shifted[0]->mutable_data<double>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += sign * doubles(error)[i];
    return evaluate(node_, shifted, node_.attributes);
  };
  Tensor bound = function_error(expected, moved(1), moved(-1), error);
  allow_any(beyond, bound);
  return rounded(std::move(expected), std::move(bound), std::move(beyond));
}

/// True where an operand that the machine computed in passing may leave binary32. Such an operand
/// has the shape of the result.
std::vector<bool> NodeBounds::passing_beyond(const OptionalTensors& given,
                                             const Tensor& result) const {
  std::vector<bool> beyond(static_cast<std::size_t>(result.size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i] || given[i]->type() != graph::DataType::kFloat64) continue;
    const ValueId value = node_.inputs[i];
    if (what_.is_held(value) || what_.graph.is_constant(value)) continue;
    if (given[i]->shape() != result.shape()) continue;
    const std::vector<bool> leaves = beyond_binary32(magnitudes(*given[i]), 4 * kUnit);
    for (std::size_t j = 0; j < beyond.size(); ++j) beyond[j] = beyond[j] || leaves[j];
  }
  return beyond;
}

BoundedResult NodeBounds::average() const {
  OptionalTensors given = operands();
  Tensor expected = evaluate(node_, given, node_.attributes);
  given[0] = magnitudes(*given[0]);
  const graph::Shape& in = what_.graph.type(node_.inputs[0]).shape;
  const graph::Shape& out = expected.shape();
  double count = 1;
  for (const std::int64_t kernel : node_.attributes.integers("kernel_shape")) {
    count *= static_cast<double>(kernel);
  }
  if (node_.op == Op::kGlobalAveragePool) {
    count = static_cast<double>(graph::element_count(in)) /
            static_cast<double>(std::max<std::int64_t>(1, graph::element_count(out)));
  }
  const Tensor means = evaluate(node_, given, node_.attributes);
  Tensor bound = mapped(means, [&](double mean) { return gamma(count + 1) * mean + 0x1p-149; });
  const Tensor sums = mapped(means, [&](double mean) { return count * mean; });
  return rounded(std::move(expected), std::move(bound), beyond_binary32(sums, gamma(count + 1)));
}

BoundedResult NodeBounds::sum() const {
  OptionalTensors given = operands();
  Tensor expected = evaluate(node_, given, node_.attributes);
  given[0] = magnitudes(*given[0]);
  const double count = static_cast<double>(given[0]->size()) /
                       static_cast<double>(std::max<std::int64_t>(1, expected.size()));
  const Tensor sizes = evaluate(node_, given, node_.attributes);
  Tensor bound = mapped(sizes, [&](double size) { return gamma(count + 1) * size + 0x1p-149; });
  const double divisor = node_.op == Op::kReduceMean ? count : 1;
  const Tensor sums = mapped(sizes, [&](double size) { return divisor * size; });
  return rounded(std::move(expected), std::move(bound), beyond_binary32(sums, gamma(count + 1)));
}

BoundedResult NodeBounds::softmax() const {
  const OptionalTensors given = operands();
  Tensor expected = evaluate(node_, given, node_.attributes);
  const graph::Shape& shape = what_.graph.type(node_.inputs[0]).shape;
  const std::int64_t axis = graph::normalized_axis(node_.attributes.integer("axis", -1),
                                                   static_cast<std::int64_t>(shape.size()));
  const auto n = static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  const double spread = 2 * largest(*given[0]);
  const double of_exp = 2 * (spread + 2) * kUnit;
  const double share = 2 * of_exp + gamma(n) + 2 * kUnit;
  const bool logarithm = node_.op == Op::kLogSoftmax;
  Tensor bound = mapped(expected, [&](double y) {
    if (!logarithm) return share * std::abs(y) + 0x1p-140;
    return share + 4 * kUnit * (spread + std::abs(y) + std::log(n));
  });
  return rounded(std::move(expected), std::move(bound));
}

BoundedResult NodeBounds::normalization() const {
  const OptionalTensors given = operands();
  Tensor expected = evaluate(node_, given, node_.attributes);
  Tensor bound(graph::DataType::kFloat64, expected.shape());
  const auto n = static_cast<std::size_t>(expected.shape().back());
  const double epsilon = double{node_.attributes.real("epsilon", 1e-5F)};
  const auto factor = [&](std::size_t input, std::size_t i, double otherwise) {
    if (given.size() <= input || !given[input]) return otherwise;
    return std::abs(doubles(*given[input])[i]);
  };
  std::vector<bool> beyond(static_cast<std::size_t>(expected.size()));
  for (std::size_t row = 0;
       row < static_cast<std::size_t>(expected.size()) / std::max<std::size_t>(n, 1); ++row) {
    const auto x = doubles(*given[0]).subspan(row * n, n);
    const RowError error = row_error(x, epsilon);
    for (std::size_t i = 0; i < n; ++i) {
      const double d = std::abs(x[i] - error.mean);
      const double delta = error.mean_error + kUnit * d;
      const double scaled = factor(1, i, 1) * (delta / error.sigma +
                                               d * error.sigma_error / (error.sigma * error.sigma));
      const double size = factor(1, i, 1) * d / error.sigma + factor(2, i, 0);
      const bool leaves = std::max(error.largest_sum, size) >= kOverflow;
      beyond[row * n + i] = leaves;
      bound.mutable_data<double>()[row * n + i] =
          leaves ? kInfinity : 1.01 * scaled + 4 * kUnit * size + 0x1p-140;
    }
  }
  return rounded(std::move(expected), std::move(bound), std::move(beyond));
}

NodeBounds::RowError NodeBounds::row_error(std::span<const double> x, double epsilon) {
  const auto n = static_cast<double>(x.size());
  double sum = 0;
  double sizes = 0;
  for (const double value : x) {
    sum += value;
    sizes += std::abs(value);
  }
  RowError error;
  error.mean = sum / n;
  // Each element is divided by n before the sum; a quotient may underflow.
  error.mean_error = gamma(n + 1) * sizes / n + n * 0x1p-149;
  double variance = 0;
  double moved = 0;
  for (const double value : x) {
    const double d = std::abs(value - error.mean);
    const double delta = error.mean_error + kUnit * d;
    variance += d * d / n;
    moved += (2 * d * delta + delta * delta) / n;
  }
  const double variance_error = moved + gamma(n + 4) * (variance + moved) + gamma(4) * epsilon;
  error.largest_sum = std::max(sizes * (1 + gamma(n)), n * (variance + variance_error));
  error.sigma = std::sqrt(variance + epsilon);
  // sqrt(v + e) - sqrt(v) <= e / sqrt(v), plus one rounding.
  error.sigma_error = variance_error / error.sigma + 2 * kUnit * error.sigma;
  return error;
}

}  // namespace weft::runtime
