#include "compiler/onnx/codec/newer/newer_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/newer/forms.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using graph::kNoValue;
using ::onnx::AttributeProto;

/// A change of an operator's form. Changes that only add element types have no row: an element type
/// that the graph lacks is refused where it occurs.
struct Form {
  std::string_view op;
  int since;
  void (*lower)(NewerNode&);
};

constexpr auto kForms = std::to_array<Form>({
    {"Range", 27, lower_range},
    {"Cast", 19, lower_saturate},
    {"Cast", 24, lower_round_mode},
    {"CastLike", 19, lower_saturate},
    {"CastLike", 24, lower_round_mode},
    {"QuantizeLinear", 19, lower_saturate},
    {"QuantizeLinear", 21, lower_block_size},
    {"QuantizeLinear", 21, lower_quantized_type},
    {"QuantizeLinear", 23, lower_precision},
    {"DequantizeLinear", 21, lower_block_size},
    {"DequantizeLinear", 23, lower_dequantized_type},
    {"GridSample", 20, lower_grid_sample},
    {"AveragePool", 19, lower_average_pool},
    {"Resize", 18, lower_resize},
    {"Resize", 19, lower_symmetric_resize},
    {"Pad", 18, lower_pad},
    {"Split", 18, lower_split},
    {"ReduceL1", 18, lower_reduction},
    {"ReduceL2", 18, lower_reduction},
    {"ReduceLogSum", 18, lower_reduction},
    {"ReduceLogSumExp", 18, lower_reduction},
    {"ReduceMax", 18, lower_reduction},
    {"ReduceMean", 18, lower_reduction},
    {"ReduceMin", 18, lower_reduction},
    {"ReduceProd", 18, lower_reduction},
    {"ReduceSumSquare", 18, lower_reduction},
});

/// The attribute, which is then no longer part of the node. Its kind is UNDEFINED if it is missing.
AttributeProto take(::onnx::NodeProto& node, const std::string& name,
                    AttributeProto::AttributeType kind) {
  AttributeProto taken;
  for (int i = node.attribute_size() - 1; i >= 0; --i) {
    if (node.attribute(i).name() != name) continue;
    if (taken.type() != AttributeProto::UNDEFINED) {
      throw InputError(labeled("attribute", name) + ": is given twice");
    }
    taken = node.attribute(i);
    if (taken.type() != kind) {
      throw InputError(fmt::format("{}: must be of kind {}", labeled("attribute", name),
                                   AttributeProto::AttributeType_Name(kind)));
    }
    node.mutable_attribute()->DeleteSubrange(i, 1);
  }
  return taken;
}

}  // namespace

bool NewerNode::has_input(std::size_t i) const {
  return i < inputs.size() && inputs[i] != kNoValue;
}

const graph::Shape& NewerNode::shape(std::size_t i) const {
  if (!has_input(i)) throw InputError(fmt::format("input {} is missing", i));
  return builder.type(inputs[i]).shape;
}

std::vector<std::int64_t> NewerNode::known_list(std::size_t i, std::string_view name) const {
  const graph::Value& value = builder.graph().values[inputs.at(i)];
  const graph::Tensor* const known = value.constant ? value.constant->ready() : nullptr;
  if (known == nullptr) {
    throw InputError(fmt::format(
        "input {} ({}): its elements must be constant; give them with --input NAME=FILE", i, name));
  }
  if (known->rank() != 1) {
    throw InputError(fmt::format("input {} ({}): a list is needed, not {}", i, name,
                                 graph::to_string(known->value_type())));
  }
  return graph::to_int64(*known);
}

void NewerNode::set_input(std::size_t i, graph::Constant value, const std::string& name) {
  while (inputs.size() <= i) {
    inputs.push_back(kNoValue);
    node.add_input("");
  }
  inputs[i] = builder.constant(std::move(value), name);
  node.set_input(static_cast<int>(i), name);
}

void NewerNode::drop_inputs_from(std::size_t i) {
  if (inputs.size() <= i) return;
  inputs.resize(i);
  node.mutable_input()->DeleteSubrange(static_cast<int>(i),
                                       node.input_size() - static_cast<int>(i));
}

std::int64_t NewerNode::take_integer(const std::string& name, std::int64_t otherwise) {
  const AttributeProto taken = take(node, name, AttributeProto::INT);
  return taken.type() == AttributeProto::UNDEFINED ? otherwise : taken.i();
}

std::string NewerNode::take_text(const std::string& name, const std::string& otherwise) {
  const AttributeProto taken = take(node, name, AttributeProto::STRING);
  return taken.type() == AttributeProto::UNDEFINED ? otherwise : taken.s();
}

std::vector<std::int64_t> NewerNode::take_integers(const std::string& name) {
  const AttributeProto taken = take(node, name, AttributeProto::INTS);
  return {taken.ints().begin(), taken.ints().end()};
}

bool NewerNode::has_attribute(std::string_view name) const {
  return std::ranges::any_of(node.attribute(),
                             [&](const auto& attribute) { return attribute.name() == name; });
}

void NewerNode::set_text(const std::string& name, const std::string& value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::STRING);
  attribute.set_s(value);
}

void NewerNode::set_integers(const std::string& name, const std::vector<std::int64_t>& values) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
}

void lower_to_graph_opset(NewerNode& node, int opset) {
  const std::string op = node.node.op_type();
  for (const Form& form : kForms) {
    if (form.op == op && form.since <= opset) form.lower(node);
  }
}

std::vector<std::int64_t> checked_axes(const std::vector<std::int64_t>& axes, std::int64_t rank) {
  return graph::normalized_axes(axes, rank);
}

}  // namespace weft::onnx_io
