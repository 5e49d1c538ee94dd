#include "runtime/network_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/infer_outputs.h"
#include "compiler/rows/elements.h"
#include "models/reference/cpu/evaluate.h"
#include "pe/float_formats.h"
#include "runtime/positions.h"
#include "runtime/rounding_bounds.h"

namespace weft::runtime {
namespace {

using graph::DataType;
using graph::Node;
using graph::Tensor;
using graph::Trait;
using graph::ValueId;

double as_double(float value) {
  return double{value};
}
double as_double(graph::Half value) {
  return double{compiler::as_float(value)};
}
template <class T>
double as_double(T value) {
  return static_cast<double>(value);
}

/// Truth values as 1 and 0 in float64; other tensors unchanged.
Tensor counted_truths(const Tensor& tensor) {
  if (tensor.type() != DataType::kBool) return tensor;
  Tensor result(DataType::kFloat64, tensor.shape());
  std::ranges::copy(tensor.data<bool>(), result.mutable_data<double>().begin());
  return result;
}

/// Float tensors as float64; other tensors unchanged.
Tensor as_float64(const Tensor& tensor) {
  if (!graph::is_float(tensor.type()) || tensor.type() == DataType::kFloat64) return tensor;
  Tensor result(DataType::kFloat64, tensor.shape());
  const auto out = result.mutable_data<double>();
  const auto copy = [&](auto data) {
    for (std::size_t i = 0; i < data.size(); ++i) out[i] = as_double(data[i]);
  };
  if (tensor.type() == DataType::kFloat16) {
    copy(tensor.data<graph::Half>());
  } else {
    copy(tensor.data<float>());
  }
  return result;
}

/// A float tensor rounded to the array's element type.
Tensor in_array_type(const Tensor& tensor, ElementType dtype) {
  if (tensor.type() != DataType::kFloat32 || dtype == ElementType::kInt8) return tensor;
  Tensor result = tensor;
  for (float& value : result.mutable_data<float>()) {
    value = dtype == ElementType::kBf16 ? to_float(to_bf16(value)) : to_float(to_fp16(value));
  }
  return result;
}

class RunChecker {
 public:
  RunChecker(const compiler::NetworkProgram& program, const MachineConfig& config,
             const NamedTensors& inputs, const NetworkRun& run)
      : graph_(program.graph),
        config_(config),
        run_(run),
        producers_(graph::producers(program.graph)) {
    for (const ValueId value : graph_.inputs) {
      inputs_.emplace(value, inputs.at(graph_.values[value].name));
    }
    check_.bit_exact = true;
    for (const auto& step : program.steps) {
      if (const auto* host = std::get_if<compiler::HostStep>(&step)) {
        const std::vector<ValueId>& outputs = graph_.nodes[host->node].outputs;
        on_host_.insert(outputs.begin(), outputs.end());
        continue;
      }
      for (const auto& result : std::get<compiler::MachineStep>(step).results) {
        held_.insert(result.value);
      }
    }
    for (const auto& step : program.steps) {
      const auto* machine = std::get_if<compiler::MachineStep>(&step);
      if (machine != nullptr) check_step(*machine);
    }
  }

  NetworkCheck result() { return std::move(check_); }

 private:
  void check_step(const compiler::MachineStep& step) {
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const auto actual = run_.values.find(step.results[i].value);
      if (actual == run_.values.end() || is_given(step.results[i].value)) continue;
      check_layer(step.layers[i].name, step.results[i], actual->second);
    }
  }

  /// True for a value that the machine does not compute. A layer may rearrange it.
  bool is_given(ValueId value) const {
    return producers_[value] == graph::kNoProducer || on_host_.contains(value);
  }

  void check_layer(const std::string& name, const compiler::LayerResult& layer,
                   const Tensor& actual) {
    LayerCheck check;
    check.layer = name;
    if (is_rounded_statistic(layer.value)) {
      compare_between(name, layer.value, actual, check);
    } else if (config_.dtype == ElementType::kInt8) {
      compare_exactly(name, evaluated(layer.value), actual, check);
    } else {
      compare_bounded(name, layer, actual, check);
    }
    check_.bit_exact = check_.bit_exact && check.exact;
    check_.max_abs_error = std::max(check_.max_abs_error, check.max_abs_error);
    check_.layers.push_back(std::move(check));
  }

  // --- Values as the machine had them ---

  /// The value that the host or the machine stores; nullopt if the machine computed it in passing.
  std::optional<Tensor> held(ValueId value) const {
    if (graph_.is_constant(value)) return graph_.values[value].constant->tensor();
    if (const auto input = inputs_.find(value); input != inputs_.end()) return input->second;
    if (const auto known = run_.values.find(value); known != run_.values.end()) {
      return known->second;
    }
    return std::nullopt;
  }

  Tensor value_of(ValueId value) const {
    auto known = held(value);
    return known ? *std::move(known) : evaluated(value);
  }

  /// Computes the value from its node, even if it is stored.
  Tensor evaluated(ValueId value) const {
    const Node& node = graph_.nodes[producers_[value]];
    std::vector<std::optional<Tensor>> operands;
    for (const ValueId input : node.inputs) {
      operands.push_back(input == graph::kNoValue ? std::nullopt : std::optional(value_of(input)));
    }
    std::vector<const Tensor*> pointers;
    for (const auto& operand : operands) pointers.push_back(operand ? &*operand : nullptr);
    const std::vector<graph::ValueType> types = graph::output_types(graph_, node);
    const std::vector<Tensor> results =
        reference::evaluate({node.op, node.attributes, pointers, types});
    const auto at = std::ranges::find(node.outputs, value) - node.outputs.begin();
    return results[static_cast<std::size_t>(at)];
  }

  /// Operand `input` of `node` in float64, as `layer` had it. Data that streams through the array
  /// or lies in narrow rows (one array element per number) has the array's type. Biases, scales and
  /// constants that the layer read as words are binary32.
  Tensor real_operand(const compiler::LayerResult& layer, const Node& node,
                      std::size_t input) const {
    const ValueId value = node.inputs[input];
    Tensor tensor = real_value(layer, value);
    const bool contracts = has(node.op, Trait::kEpilogue) && !has(node.op, Trait::kQuantized);
    const bool weights_or_data = contracts && input < 2;
    const bool in_rows = !graph_.is_constant(value) ||
                         std::ranges::find(layer.narrow_inputs, value) != layer.narrow_inputs.end();
    const bool bias = contracts && input == 2;
    return weights_or_data || (in_rows && !bias) ? tensor_in_array(tensor) : as_float64(tensor);
  }

  Tensor tensor_in_array(const Tensor& tensor) const {
    if (tensor.type() == DataType::kFloat64) return tensor;  // computed in passing: not rounded
    return as_float64(in_array_type(tensor, config_.dtype));
  }

  /// Stored values unchanged; others evaluated in float64.
  Tensor real_value(const compiler::LayerResult& layer, ValueId value) const {
    if (auto known = held(value)) return *std::move(known);
    const Node& node = graph_.nodes[producers_[value]];
    std::vector<std::optional<Tensor>> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      operands.push_back(node.inputs[i] == graph::kNoValue
                             ? std::nullopt
                             : std::optional(real_operand(layer, node, i)));
    }
    std::vector<const Tensor*> pointers;
    for (const auto& operand : operands) pointers.push_back(operand ? &*operand : nullptr);
    return evaluate_in_double(graph_, node, pointers, node.attributes)[output_index(node, value)];
  }

  static std::size_t output_index(const Node& node, ValueId value) {
    return static_cast<std::size_t>(std::ranges::find(node.outputs, value) - node.outputs.begin());
  }

  // --- Comparisons ---

  void compare_exactly(const std::string& name, const Tensor& expected, const Tensor& actual,
                       LayerCheck& check) {
    check.exact = expected == actual;
    if (check.exact || check_.mismatch) return;
    graph::with_type(expected.type(), [&]<class T>(T) {
      if constexpr (!std::is_same_v<T, graph::Half>) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(expected.size()); ++i) {
          const double want = as_double(expected.data<T>()[i]);
          const double got = as_double(actual.data<T>()[i]);
          check.max_abs_error = std::max(check.max_abs_error, std::abs(want - got));
          if (want != got && !check_.mismatch) mismatch(name, expected, i, want, 0, got);
        }
      }
    });
    check.share = 2;  // the bound is zero
  }

  void compare_bounded(const std::string& name, const compiler::LayerResult& layer,
                       const Tensor& actual, LayerCheck& check) {
    const Node& node = graph_.nodes[producers_[layer.value]];
    const BoundedResult reference = bounded_result(
        {graph_, node, [&](std::size_t input) { return real_operand(layer, node, input); },
         [&](ValueId value) { return held(value).has_value() || held_.contains(value); },
         config_.dtype, layer.wide});
    const Tensor real = counted_truths(as_float64(actual));
    const Tensor expected = counted_truths(reference.expected);
    const auto got = real.data<double>();
    const auto want = expected.data<double>();
    const auto bound = reference.bound.data<double>();
    check.exact = true;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (same(got[i], want[i])) continue;
      const double error = std::abs(got[i] - want[i]);
      check.exact = check.exact && error == 0;
      if (is_beyond(reference, i, got[i])) {
        ++check.beyond;
        check.exact = false;
        continue;
      }
      if (std::isfinite(error)) check.max_abs_error = std::max(check.max_abs_error, error);
      const bool infinite = overflows(want[i], bound[i], got[i], layer.wide);
      const double share = infinite ? 0 : error / bound[i];
      if (!(share <= 1) && !check_.mismatch) mismatch(name, real, i, want[i], bound[i], got[i]);
      check.share = std::max(check.share, std::isnan(share) ? 2 : share);
    }
  }

  /// True for integers that the machine rounds from binary32 sums. The reference adds in binary64.
  bool is_rounded_statistic(ValueId value) const {
    const Node& quantize = graph_.nodes[producers_[value]];
    if (quantize.op != graph::Op::kQuantizeLinear) return false;
    const std::size_t source = producers_[quantize.inputs[0]];
    if (source == graph::kNoProducer) return false;
    return has(graph_.nodes[source].op, Trait::kSumsAlongAxes);
  }

  /// Moves the real numbers by `sign` times their bounds, rounds them outward and applies
  /// `quantize`.
  Tensor quantized_bound(const Node& quantize, const BoundedResult& real, float sign) const {
    Tensor moved(DataType::kFloat32, real.expected.shape());
    const auto out = moved.mutable_data<float>();
    const auto y = real.expected.data<double>();
    const auto bound = real.bound.data<double>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::nextafter(static_cast<float>(y[i] + double{sign} * bound[i]),
                              sign * std::numeric_limits<float>::infinity());
    }
    std::vector<std::optional<Tensor>> operands = {std::move(moved)};
    for (std::size_t i = 1; i < quantize.inputs.size(); ++i) {
      operands.emplace_back(value_of(quantize.inputs[i]));
    }
    std::vector<const Tensor*> pointers;
    for (const auto& operand : operands) pointers.push_back(&*operand);
    const std::vector<graph::ValueType> types = {graph_.type(quantize.outputs[0])};
    return reference::evaluate({quantize.op, quantize.attributes, pointers, types}).front();
  }

  /// Accepts every integer to which a number within the bound rounds: one of two near the middle
  /// between them, else exactly one.
  void compare_between(const std::string& name, ValueId value, const Tensor& actual,
                       LayerCheck& check) {
    const Node& quantize = graph_.nodes[producers_[value]];
    const Node& node = graph_.nodes[producers_[quantize.inputs[0]]];
    const BoundedResult real = bounded_result(
        {graph_, node, [&](std::size_t input) { return as_float64(value_of(node.inputs[input])); },
         [&](ValueId v) { return held(v).has_value(); }, config_.dtype, true});
    const Tensor low = widened_integers(quantized_bound(quantize, real, -1));
    const Tensor high = widened_integers(quantized_bound(quantize, real, 1));
    const Tensor want = widened_integers(evaluated(value));
    const Tensor got = widened_integers(actual);
    check.exact = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(got.size()); ++i) {
      const double is = got.data<double>()[i];
      const double expected = want.data<double>()[i];
      if (is == expected) continue;
      check.exact = false;
      check.max_abs_error = std::max(check.max_abs_error, std::abs(is - expected));
      const bool within = is >= low.data<double>()[i] && is <= high.data<double>()[i];
      check.share = std::max(check.share, within ? 1.0 : 2.0);
      if (!within && !check_.mismatch) mismatch(name, actual, i, expected, 0, is);
    }
  }

  static Tensor widened_integers(const Tensor& tensor) {
    Tensor result(DataType::kFloat64, tensor.shape());
    const auto out = result.mutable_data<double>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = tensor.type() == DataType::kUint8 ? as_double(tensor.data<std::uint8_t>()[i])
                                                 : as_double(tensor.data<std::int8_t>()[i]);
    }
    return result;
  }

  static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

  /// True for an infinity or NaN, or a function of one, where a sum may have left binary32.
  static bool is_beyond(const BoundedResult& reference, std::size_t i, double got) {
    if (reference.beyond.empty() || !reference.beyond[i]) return false;
    return !std::isfinite(got) || std::isinf(reference.bound.data<double>()[i]);
  }

  /// True if the result is infinite because it exceeds the largest finite element.
  bool overflows(double want, double bound, double got, bool wide) const {
    double most = config_.dtype == ElementType::kBf16 ? 0x1.FEp127 : 65504;
    if (wide) most = double{std::numeric_limits<float>::max()};
    return std::isinf(got) && std::abs(want) + bound >= most &&
           std::signbit(want) == std::signbit(got);
  }

  void mismatch(const std::string& name, const Tensor& like, std::size_t index, double expected,
                double bound, double actual) {
    check_.mismatch = fmt::format("layer {} [{}]: expected {:.9g} within {:.3g}, got {:.9g}", name,
                                  position_text(index, like.shape()), without_nan_sign(expected),
                                  without_nan_sign(bound), without_nan_sign(actual));
  }

  const graph::Graph& graph_;
  const MachineConfig& config_;
  const NetworkRun& run_;
  const std::vector<std::size_t> producers_;
  std::map<ValueId, Tensor> inputs_;
  std::set<ValueId> held_;
  std::set<ValueId> on_host_;  // values that the host computes
  NetworkCheck check_;
};

}  // namespace

std::optional<std::string> note_beyond_binary32(const NetworkCheck& check) {
  std::size_t elements = 0;
  std::size_t layers = 0;
  std::string first;
  for (const LayerCheck& layer : check.layers) {
    if (layer.beyond == 0) continue;
    if (layers == 0) first = layer.layer;
    ++layers;
    elements += layer.beyond;
  }
  if (layers == 0) return std::nullopt;
  const std::string others = layers == 1 ? "" : fmt::format(" and {} more", layers - 1);
  return fmt::format(
      "{} of layer {}{} can exceed binary32 (3.4e38) in a partial sum: infinity and NaN count as "
      "right there",
      counted(elements, "element"), first, others);
}

NetworkCheck check_network(const compiler::NetworkProgram& program, const MachineConfig& config,
                           const NamedTensors& inputs, const NetworkRun& run) {
  return RunChecker(program, config, inputs, run).result();
}

}  // namespace weft::runtime
