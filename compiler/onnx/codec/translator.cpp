#include "compiler/onnx/codec/translator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/onnx/codec/composite/composites.h"
#include "compiler/onnx/codec/newer/newer_node.h"
#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using graph::kNoValue;
using graph::ValueId;
using ::onnx::NodeProto;

/// The names of the outputs of `part`, one of the nodes that replace `original`. An output of the
/// original keeps its name; an unused output gets an empty name.
std::vector<std::string> final_names(const NodeProto& part, const UpgradedNode& upgraded,
                                     const NodeProto& original) {
  const auto is_used = [&](const std::string& name) {
    return std::any_of(upgraded.nodes.begin(), upgraded.nodes.end(), [&](const NodeProto& node) {
      return std::find(node.input().begin(), node.input().end(), name) != node.input().end();
    });
  };
  std::vector<std::string> names;
  for (const std::string& local : part.output()) {
    const auto at = std::find(upgraded.outputs.begin(), upgraded.outputs.end(), local);
    if (at != upgraded.outputs.end()) {
      names.push_back(original.output(static_cast<int>(at - upgraded.outputs.begin())));
    } else {
      names.push_back(is_used(local) ? node_name(original) + "/" + local : "");
    }
  }
  return names;
}

/// True if `shape` agrees with the file. An open dimension fits any extent.
bool fits(const ::onnx::TensorShapeProto& declared, const graph::Shape& shape) {
  if (static_cast<std::size_t>(declared.dim_size()) != shape.size()) return false;
  for (int i = 0; i < declared.dim_size(); ++i) {
    const auto& dim = declared.dim(i);
    if (dim.has_dim_value() && dim.dim_value() != shape[static_cast<std::size_t>(i)]) return false;
  }
  return true;
}

void require_declared_shape(const ::onnx::TypeProto::Tensor& declared, const graph::Shape& shape) {
  if (!declared.has_shape() || fits(declared.shape(), shape)) return;
  throw InputError(fmt::format("its shape is {}, the file declares {}", graph::to_string(shape),
                               to_text(declared.shape())));
}

/// A Cast to BFLOAT16 becomes one to float32, as all values of that type are (docs/onnx.md).
void widen_target(graph::Attributes& attributes) {
  if (attributes.integer("to", 0) != ::onnx::TensorProto::BFLOAT16) return;
  attributes.set("to", std::int64_t{::onnx::TensorProto::FLOAT});
}

}  // namespace

Translator::Translator(const std::string& graph_name, Constants& constants,
                       const NodeUpgrade& upgrade, const ImportOptions& options,
                       const std::vector<BoundInput>& inputs, const std::set<std::string>& frozen)
    : builder_(graph_name, options.evaluate), constants_(constants), upgrade_(upgrade) {
  for (const BoundInput& input : inputs) {
    located(labeled("input", input.name), [&] {
      values_[input.name] = frozen.contains(input.name)
                                ? builder_.constant(options.values.at(input.name), input.name)
                                : builder_.input(input.name, input.type);
    });
  }
}

ValueId Translator::value(const std::string& name) {
  if (name.empty()) return kNoValue;
  const auto at = values_.find(name);
  if (at != values_.end()) return at->second;
  return values_[name] = builder_.constant(constants_.get(name), name);
}

void Translator::add(const NodeProto& original) {
  NewerNode lowered{original, {}, builder_};
  for (const std::string& name : original.input()) lowered.inputs.push_back(value(name));
  const NodeProto& node = lowered.node;
  const std::vector<ValueId>& inputs = lowered.inputs;
  located(label_of(original), [&] { lower_to_graph_opset(lowered, upgrade_.opset()); });
  if (is_composed(node, inputs, upgrade_.opset(), builder_)) return add_composed(node, inputs);
  if (upgrade_.needed(node)) return add_upgraded(node, inputs);
  const std::vector<std::string> outputs(node.output().begin(), node.output().end());
  const std::vector<ValueId> results = add_operator(node, inputs, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) values_[outputs[i]] = results[i];
}

void Translator::add_composed(const NodeProto& node, const std::vector<ValueId>& inputs) {
  const ValueId result = located(label_of(node), [&] {
    require_standard(node, upgrade_.opset());
    return compose(node, inputs, upgrade_.opset(), builder_);
  });
  builder_.rename(result, node.output(0));
  values_[node.output(0)] = result;
}

void Translator::add_upgraded(const NodeProto& node, const std::vector<ValueId>& inputs) {
  std::vector<const graph::ValueType*> types;
  for (const ValueId input : inputs) {
    types.push_back(input == kNoValue ? nullptr : &builder_.type(input));
  }
  UpgradedNode upgraded = located(label_of(node), [&] { return upgrade_.upgrade(node, types); });

  Values local;
  for (std::size_t i = 0; i < inputs.size(); ++i) local[upgraded.inputs[i]] = inputs[i];
  for (auto& tensor : upgraded.constants) {
    local[tensor.name()] = builder_.constant(take_tensor(tensor, {}));
  }
  local[""] = kNoValue;
  for (NodeProto& part : upgraded.nodes) {
    part.set_name(node_name(node));
    if (is_constant_node(part)) {
      local[part.output(0)] =
          builder_.constant(take_tensor(*part.mutable_attribute(0)->mutable_t(), {}));
      continue;
    }
    std::vector<ValueId> part_inputs;
    for (const std::string& name : part.input()) part_inputs.push_back(local.at(name));
    const std::vector<std::string> names = final_names(part, upgraded, node);
    const auto results = add_operator(part, part_inputs, names);
    for (std::size_t i = 0; i < results.size(); ++i) {
      local[part.output(static_cast<int>(i))] = results[i];
      values_[names[i]] = results[i];
    }
  }
}

std::vector<ValueId> Translator::add_operator(const NodeProto& node, std::vector<ValueId> inputs,
                                              const std::vector<std::string>& outputs) {
  const std::optional<graph::Op> op = graph::op_from_string(node.op_type());
  if (!op) throw InputError(label_of(node) + ": the operator is not supported");
  graph::Attributes attributes = located(label_of(node), [&] {
    require_standard(node, kOpset);
    graph::Attributes read = read_attributes(node);
    if (op == graph::Op::kCast) widen_target(read);
    return read;
  });
  if (*op == graph::Op::kResize) drop_empty_inputs(inputs);
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  return builder_.add(*op, std::move(inputs), std::move(attributes), node_name(node), outputs);
}

void Translator::drop_empty_inputs(std::vector<ValueId>& inputs) const {
  for (ValueId& input : inputs) {
    if (input == kNoValue || !builder_.graph().is_constant(input)) continue;
    if (graph::element_count(builder_.type(input).shape) == 0) input = kNoValue;
  }
}

void Translator::add_output(const ::onnx::ValueInfoProto& output) {
  const std::string& name = output.name();
  if (!name.empty() && constants_.has(name)) value(name);  // an error then names the constant only
  located(labeled("output", name), [&] {
    if (name.empty()) throw InputError("an output needs a name");
    const auto at = values_.find(name);
    if (at == values_.end()) throw InputError("no node, input or initializer makes it");
    const int declared = output.type().tensor_type().elem_type();
    const graph::DataType type = builder_.type(at->second).type;
    const bool is_bf16 =
        declared == ::onnx::TensorProto::BFLOAT16 && type == graph::DataType::kFloat32;
    if (declared != 0 && declared != onnx_data_type(type) && !is_bf16) {
      throw InputError(
          fmt::format("its type is {}, the file declares another", graph::to_string(type)));
    }
    require_declared_shape(output.type().tensor_type(), builder_.type(at->second).shape);
    builder_.output(at->second, name);
  });
}

}  // namespace weft::onnx_io
