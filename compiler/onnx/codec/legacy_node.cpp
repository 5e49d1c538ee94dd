#include "compiler/onnx/codec/legacy_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "pe/float_formats.h"

namespace weft::onnx_io {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

template <std::size_t N>
bool is_one_of(const NodeProto& node, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), node.op_type()) != names.end();
}

const AttributeProto* find_attribute(const NodeProto& node, std::string_view name) {
  const auto at = std::find_if(node.attribute().begin(), node.attribute().end(),
                               [&](const auto& attribute) { return attribute.name() == name; });
  return at == node.attribute().end() ? nullptr : &*at;
}

void erase_attribute(NodeProto& node, std::string_view name) {
  auto& attributes = *node.mutable_attribute();
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                  [&](const auto& attribute) { return attribute.name() == name; }),
                   attributes.end());
}

void set_text(NodeProto& node, const std::string& name, const std::string& value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::STRING);
  attribute.set_s(value);
}

/// Gives input 1 `count` trailing dimensions of extent 1.
void unsqueeze_second_input(LegacyNode& legacy, std::int64_t count) {
  const auto rank = static_cast<std::int64_t>(legacy.inputs[1].shape.size());
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < count; ++i) axes.push_back(rank + i);
  ::onnx::TensorProto& axes_tensor = legacy.constants.emplace_back();
  put_tensor(graph::Tensor::vector(axes), axes_tensor);
  axes_tensor.set_name("axes");

  NodeProto& unsqueeze = legacy.before.emplace_back();
  unsqueeze.set_op_type("Unsqueeze");
  unsqueeze.add_input("i1");
  unsqueeze.add_input("axes");
  unsqueeze.add_output("aligned");
  legacy.node.set_input(1, "aligned");
  legacy.inputs[1].shape.resize(static_cast<std::size_t>(rank + count), 1);
}

/// False for an invalid node; a later check (convert() in node_upgrade.cpp) reports the error.
bool has_two_inputs(const NodeProto& node) {
  return node.input_size() == 2 && !node.input(0).empty() && !node.input(1).empty();
}

/// Before opset 7, "axis" gave the dimension of the first operand that the second operand's first
/// dimension belongs to.
void align_at_axis(LegacyNode& legacy) {
  const AttributeProto* const axis = find_attribute(legacy.node, "axis");
  const AttributeProto* const broadcast = find_attribute(legacy.node, "broadcast");
  if (axis != nullptr && broadcast != nullptr && broadcast->i() == 1 &&
      has_two_inputs(legacy.node)) {
    const auto rank = static_cast<std::int64_t>(legacy.inputs[0].shape.size());
    const auto second = static_cast<std::int64_t>(legacy.inputs[1].shape.size());
    if (axis->i() < 0 || axis->i() > rank - second) {
      throw InputError(
          fmt::format("axis {} does not align an operand of rank {} with one of rank {}", axis->i(),
                      second, rank));
    }
    const std::int64_t behind = rank - second - axis->i();
    if (behind > 0) unsqueeze_second_input(legacy, behind);
  }
  erase_attribute(legacy.node, "axis");
  erase_attribute(legacy.node, "broadcast");
}

/// Before opset 7, a slope of rank 1 belonged to the channels (dimension 1).
void align_slope(LegacyNode& legacy) {
  if (!has_two_inputs(legacy.node) || legacy.inputs[1].shape.size() != 1) return;
  const std::size_t rank = legacy.inputs[0].shape.size();
  if (rank > 2) unsqueeze_second_input(legacy, static_cast<std::int64_t>(rank) - 2);
}

/// In opsets 11 and 12 a Resize requires roi and scales, but exporters omit the unused one. Adds an
/// empty constant for it. ONNX itself allows empty scales if there are sizes.
void complete_resize_inputs(LegacyNode& legacy) {
  for (int i = 1; i <= 2 && i < legacy.node.input_size(); ++i) {
    if (!legacy.node.input(i).empty()) continue;
    const std::string name = i == 1 ? "roi" : "scales";
    ::onnx::TensorProto& empty = legacy.constants.emplace_back();
    put_tensor(graph::Tensor::vector<float>({}), empty);
    empty.set_name(name);
    legacy.node.set_input(i, name);
    legacy.inputs[static_cast<std::size_t>(i)] = {graph::DataType::kFloat32, {0}};
  }
}

void raise_to_opset_7(LegacyNode& legacy) {
  constexpr auto kBroadcasting = std::to_array<std::string_view>(
      {"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Equal", "Less", "Greater"});
  constexpr auto kRecurrent = std::to_array<std::string_view>({"LSTM", "GRU", "RNN"});
  NodeProto& node = legacy.node;
  if (is_one_of(node, kBroadcasting)) {
    align_at_axis(legacy);
  } else if (is_one_of(node, kRecurrent)) {
    erase_attribute(node, "output_sequence");
  } else if (node.op_type() == "PRelu") {
    align_slope(legacy);
  } else if (node.op_type() == "Gemm") {
    erase_attribute(node, "broadcast");
  } else {
    return;
  }
  legacy.opset = 7;
}

bool is_resize(const NodeProto& node) {
  return node.op_type() == "Resize" || node.op_type() == "Upsample";
}

/// Changes `tensor`, a float32 scalar, to `type`.
void retype(::onnx::TensorProto& tensor, graph::DataType type) {
  const auto value = take_tensor(tensor, {}).data<float>()[0];
  tensor.Clear();
  if (type == graph::DataType::kFloat64) {
    put_tensor(graph::Tensor::scalar(static_cast<double>(value)), tensor);
  } else {
    put_tensor(graph::Tensor::scalar(graph::Half{to_fp16(value).bits}), tensor);
  }
}

bool is_float32_scalar(const ::onnx::TensorProto& tensor) {
  return tensor.data_type() == ::onnx::TensorProto::FLOAT && tensor.dims_size() == 0;
}

void retype_bounds(UpgradedNode& upgraded, graph::DataType type) {
  for (NodeProto& node : upgraded.nodes) {
    if (node.op_type() != "Constant" || node.attribute_size() != 1) continue;
    ::onnx::TensorProto& value = *node.mutable_attribute(0)->mutable_t();
    if (is_float32_scalar(value)) retype(value, type);
  }
}

}  // namespace

void prepare_for_conversion(LegacyNode& legacy) {
  if (legacy.opset == 6) raise_to_opset_7(legacy);
  const bool is_from_11 = legacy.opset == 11 || legacy.opset == 12;
  if (legacy.node.op_type() == "Resize" && is_from_11) complete_resize_inputs(legacy);
  if (legacy.node.op_type() != "Pad" || legacy.opset >= 11) return;
  if (find_attribute(legacy.node, "value") != nullptr) return;
  AttributeProto& value = *legacy.node.add_attribute();
  value.set_name("value");
  value.set_type(AttributeProto::FLOAT);
  value.set_f(0.0F);
}

void complete_conversion(const LegacyNode& legacy, UpgradedNode& upgraded) {
  if (legacy.opset >= 11) return;
  if (legacy.node.op_type() == "Pad") {
    // If the mode does not use the value, the converter leaves it as an attribute.
    for (NodeProto& node : upgraded.nodes) {
      if (node.op_type() == "Pad") erase_attribute(node, "value");
    }
  }
  if (is_resize(legacy.node)) {
    for (NodeProto& node : upgraded.nodes) {
      if (node.op_type() != "Resize") continue;
      set_text(node, "coordinate_transformation_mode", "asymmetric");
      set_text(node, "nearest_mode", "floor");
    }
  }
  const std::string& op = legacy.node.op_type();
  const bool has_bounds = (op == "Clip" || op == "Pad") && !legacy.inputs.empty();
  if (!has_bounds) return;
  const graph::DataType type = legacy.inputs[0].type;
  if (graph::is_float(type) && type != graph::DataType::kFloat32) retype_bounds(upgraded, type);
}

}  // namespace weft::onnx_io
