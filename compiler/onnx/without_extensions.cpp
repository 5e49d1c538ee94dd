#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "compiler/graph/operator_table.h"
#include "compiler/onnx/export.h"
#include "pe/float_formats.h"

namespace weft::onnx_io {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

constexpr std::size_t kBias = 2;
constexpr std::size_t kResidual = 3;
// The same inputs in QLinearConv and QLinearMatMul.
constexpr std::size_t kOutputScale = 6;
constexpr std::size_t kOutputZeroPoint = 7;

bool takes_epilogue(Op op) {
  return has(op, graph::Trait::kEpilogue);
}

bool is_quantized(Op op) {
  return takes_epilogue(op) && has(op, graph::Trait::kQuantized);
}

/// The number of inputs of a contraction in ONNX.
std::size_t own_inputs(Op op) {
  if (is_quantized(op)) return op == Op::kQLinearConv ? 9 : 8;
  return op == Op::kMatMul ? 2 : 3;
}

/// `value` as a scalar of a floating-point type.
Tensor typed_scalar(graph::DataType type, float value) {
  if (type == graph::DataType::kFloat16) {
    return Tensor::scalar(graph::Half{to_fp16(value).bits});
  }
  if (type == graph::DataType::kFloat64) return Tensor::scalar<double>(value);
  return Tensor::scalar(value);
}

/// `value` quantized to a scalar of type T, with the saturation of QuantizeLinear.
template <class T>
Tensor quantized_scalar(float value, float scale, T zero_point) {
  const auto steps = static_cast<double>(std::nearbyint(value / scale));
  const double level = steps + static_cast<double>(zero_point);
  const double low = std::numeric_limits<T>::min();
  const double high = std::numeric_limits<T>::max();
  return Tensor::scalar(static_cast<T>(std::clamp(level, low, high)));
}

/// One of the ONNX operators that replace an extended node. Its first input is the output of the
/// previous part.
struct Part {
  Op op;
  std::vector<ValueId> inputs;  // values of the new graph: the inputs after the first
  Attributes attributes = {};
};

class Rebuild {
 public:
  explicit Rebuild(const Graph& graph)
      : graph_(graph), builder_(graph.name), ids_(graph.values.size(), kNoValue) {}

  Graph run() {
    for (const ValueId id : graph_.inputs) {
      ids_[id] = builder_.input(graph_.values[id].name, graph_.type(id));
    }
    for (const Node& node : graph_.nodes) add(node);
    for (const auto& output : graph_.outputs) builder_.output(value(output.value), output.name);
    return builder_.finish();
  }

 private:
  ValueId value(ValueId id) {
    if (id == kNoValue) return kNoValue;
    if (ids_[id] == kNoValue) {
      ids_[id] = builder_.constant(*graph_.values[id].constant, graph_.values[id].name);
    }
    return ids_[id];
  }

  std::vector<std::string> output_names(const Node& node) const {
    std::vector<std::string> names;
    for (const ValueId id : node.outputs) {
      names.push_back(id == kNoValue ? "" : graph_.values[id].name);
    }
    return names;
  }

  /// Adds the node without its extensions, then one node for each extension. The last node takes
  /// the names of the outputs.
  void add(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value(input));
    const std::vector<Part> parts = parts_after(node, inputs);
    if (node.op == Op::kQLinearMatMul && node.input(8) != kNoValue) {
      throw InputError(graph::node_label(node) +
                       ": ONNX has no QLinearMatMul with a bias; export the network in QDQ form");
    }
    if (takes_epilogue(node.op)) inputs.resize(std::min(inputs.size(), own_inputs(node.op)));
    Attributes attributes = node.attributes;
    for (const char* name : {"activation", "activation_alpha", "activation_beta"}) {
      if (takes_epilogue(node.op)) attributes.erase(name);
    }
    std::vector<ValueId> results = builder_.add(
        node.op, inputs, attributes, node.name,
        parts.empty() ? output_names(node) : std::vector<std::string>{node.name + "/product"});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      inputs = {results[0]};
      inputs.insert(inputs.end(), parts[i].inputs.begin(), parts[i].inputs.end());
      const std::string name = node.name + "/" + std::string(to_string(parts[i].op));
      results =
          builder_.add(parts[i].op, inputs, parts[i].attributes, name,
                       i + 1 == parts.size() ? output_names(node) : std::vector<std::string>{name});
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] != kNoValue) ids_[node.outputs[i]] = results[i];
    }
  }

  std::vector<Part> parts_after(const Node& node, const std::vector<ValueId>& inputs) {
    std::vector<Part> parts;
    if (!takes_epilogue(node.op)) return parts;
    const auto input = [&](std::size_t i) { return i < inputs.size() ? inputs[i] : kNoValue; };
    if (node.op == Op::kMatMul && input(kBias) != kNoValue) {
      parts.push_back({Op::kAdd, {input(kBias)}});
    }
    if (!is_quantized(node.op) && input(kResidual) != kNoValue) {
      parts.push_back({Op::kAdd, {input(kResidual)}});
    }
    if (!node.attributes.has("activation")) return parts;
    parts.push_back(is_quantized(node.op) ? quantized_activation(node) : activation(node));
    return parts;
  }

  Part activation(const Node& node) {
    const Op op = *graph::op_from_string(node.attributes.text("activation", ""));
    const graph::DataType type = graph_.type(node.outputs[0]).type;
    Part part{op, {}};
    const auto& parameters = graph::operator_of(op).parameters;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string fused = i == 0 ? "activation_alpha" : "activation_beta";
      if (op == Op::kClip) {
        part.inputs.push_back(
            node.attributes.has(fused)
                ? builder_.constant(typed_scalar(type, node.attributes.real(fused, 0)))
                : kNoValue);
      } else if (i < parameters.size() && node.attributes.has(fused)) {
        part.attributes.set(std::string(parameters[i].attribute), node.attributes.real(fused, 0));
      }
    }
    return part;
  }

  /// Rounding and saturation keep the order of values. So clipping the quantized result to the
  /// quantized bounds gives the same result as clipping before quantization.
  Part quantized_activation(const Node& node) {
    const bool is_relu = node.attributes.text("activation", "") == "Relu";
    Part part{Op::kClip, {}};
    for (const char* name : {"activation_alpha", "activation_beta"}) {
      const bool is_low = part.inputs.empty();
      const bool bounded = is_relu ? is_low : node.attributes.has(name);
      const float bound = is_relu ? 0.0F : node.attributes.real(name, 0.0F);
      part.inputs.push_back(bounded ? builder_.constant(quantized(node, bound)) : kNoValue);
    }
    return part;
  }

  Tensor quantized(const Node& node, float bound) const {
    const float scale = known_scalar(node, kOutputScale).data<float>()[0];
    const Tensor zero_point = known_scalar(node, kOutputZeroPoint);
    if (zero_point.type() == graph::DataType::kInt8) {
      return quantized_scalar(bound, scale, zero_point.data<std::int8_t>()[0]);
    }
    return quantized_scalar(bound, scale, zero_point.data<std::uint8_t>()[0]);
  }

  Tensor known_scalar(const Node& node, std::size_t input) const {
    const ValueId id = node.input(input);
    if (id == kNoValue || !graph_.is_constant(id) ||
        graph::element_count(graph_.type(id).shape) != 1) {
      throw InputError(node_label(node) +
                       ": its activation cannot be written as ONNX; the output's " +
                       "scale and zero point must be constants of one element");
    }
    return graph_.values[id].constant->tensor();
  }

  const Graph& graph_;
  Builder builder_;
  std::vector<ValueId> ids_;
};

}  // namespace

Graph without_extensions(const Graph& graph) {
  return Rebuild(graph).run();
}

}  // namespace weft::onnx_io
