#include "compiler/onnx/codec/node_upgrade.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <exception>

#include "base/error.h"
#include "compiler/graph/op.h"
#include "compiler/onnx/codec/composite/composites.h"
#include "compiler/onnx/codec/legacy_node.h"
#include "compiler/onnx/codec/newer/newer_node.h"
#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/codec/version_converter.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using ::onnx::ModelProto;
using ::onnx::NodeProto;

/// The definition of `op` in `opset`; null if the operator did not exist or was deprecated.
const ::onnx::OpSchema* definition(const std::string& op, int opset) {
  const ::onnx::OpSchema* const schema = ::onnx::OpSchemaRegistry::Schema(op, opset, "");
  return schema == nullptr || schema->Deprecated() ? nullptr : schema;
}

bool changed(const std::string& op, int from, int to) {
  const auto* const then = definition(op, from);
  const auto* const now = definition(op, to);
  return then == nullptr || now == nullptr || then->SinceVersion() != now->SinceVersion();
}

/// The message of ONNX's library, on one line and without source file names.
std::string reason(const std::exception& error) {
  std::string_view text = error.what();
  text = text.substr(0, text.find('\n'));
  constexpr std::string_view kMark = "failed: ";
  const std::size_t mark = text.rfind(kMark);
  return std::string(mark == std::string_view::npos ? text : text.substr(mark + kMark.size()));
}

/// The node with inputs named i0, i1, ... and outputs o0, o1, ... Omitted outputs also get a name,
/// because the converter cannot handle them.
LegacyNode renamed(const NodeProto& original, std::span<const graph::ValueType* const> inputs,
                   int opset) {
  LegacyNode legacy{original, {}, opset};
  legacy.node.set_domain("");
  for (int i = 0; i < original.input_size(); ++i) {
    const auto* const type = inputs[static_cast<std::size_t>(i)];
    if (type != nullptr) legacy.node.set_input(i, fmt::format("i{}", i));
    legacy.inputs.push_back(type != nullptr ? *type : graph::ValueType{});
  }
  for (int i = 0; i < original.output_size(); ++i) {
    legacy.node.set_output(i, fmt::format("o{}", i));
  }
  return legacy;
}

void declare(::onnx::ValueInfoProto& value, const std::string& name, const graph::ValueType& type) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_data_type(type.type));
  for (const std::int64_t extent : type.shape) {
    tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

/// A model with only this node. `original` tells which outputs are used.
ModelProto model_of(const LegacyNode& legacy, const NodeProto& original) {
  ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(legacy.opset);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("node");
  *graph.add_node() = legacy.node;
  for (int i = 0; i < legacy.node.input_size(); ++i) {
    const std::string& name = legacy.node.input(i);
    if (!name.empty())
      declare(*graph.add_input(), name, legacy.inputs[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < original.output_size(); ++i) {
    if (original.output(i).empty()) continue;
    auto& output = *graph.add_output();
    output.set_name(legacy.node.output(i));
    output.mutable_type()->mutable_tensor_type();
  }
  return model;
}

UpgradedNode result_of(LegacyNode& legacy, ModelProto& converted, const NodeProto& original) {
  UpgradedNode upgraded{std::move(legacy.before), std::move(legacy.constants), {}, {}};
  ::onnx::GraphProto& graph = *converted.mutable_graph();
  std::move(graph.mutable_node()->begin(), graph.mutable_node()->end(),
            std::back_inserter(upgraded.nodes));
  std::move(graph.mutable_initializer()->begin(), graph.mutable_initializer()->end(),
            std::back_inserter(upgraded.constants));
  for (int i = 0; i < original.input_size(); ++i) {
    upgraded.inputs.push_back(original.input(i).empty() ? "" : fmt::format("i{}", i));
  }
  int wanted = 0;
  for (const std::string& output : original.output()) {
    upgraded.outputs.push_back(output.empty() ? "" : graph.output(wanted++).name());
  }
  return upgraded;
}

/// Converts a model with one node. Throws InputError with the reason from ONNX's library.
ModelProto convert(const ModelProto& model, int opset) {
  const NodeProto& node = model.graph().node(0);
  try {
    // The converter assumes that the node satisfies its opset's rules, so check them first.
    definition(node.op_type(), opset)->Verify(node);
    return convert_version(model, opset, kOpset);
  } catch (const std::exception& error) {
    throw InputError(
        fmt::format("cannot be converted from opset {} to {}: {}", opset, kOpset, reason(error)));
  }
}

}  // namespace

void require_standard(const NodeProto& node, int opset) {
  const auto* const schema = definition(node.op_type(), std::min(opset, kOpset));
  if (schema == nullptr) return;  // newer than ONNX's library; compose() checks it
  for (const auto& attribute : node.attribute()) {
    if (schema->attributes().contains(attribute.name())) continue;
    throw InputError("has no " + labeled("attribute", attribute.name()));
  }
  if (node.input_size() > schema->max_input()) {
    throw InputError(
        fmt::format("takes at most {} inputs, not {}", schema->max_input(), node.input_size()));
  }
}

std::optional<std::string> NodeUpgrade::refusal(const NodeProto& node) const {
  const std::string& op = node.op_type();
  const bool known = graph::op_from_string(op).has_value() || is_composite(op) || op == "Upsample";
  if (!is_default_domain(node.domain()) || !known) return "the operator is not supported";
  if (opset_ == 0) return "the file declares no opset for ONNX's own operators";
  if (opset_ > kNewestOpset) {
    return fmt::format(
        "opset {} is newer than {}, the last that Weft knows; export it as {} or "
        "older",
        opset_, kNewestOpset, kNewestOpset);
  }
  const int then = std::min(opset_, kOpset);
  if (definition(op, then) == nullptr && !composite_exists(op, opset_)) {
    return fmt::format("opset {} has no such operator", opset_);
  }
  if (then < kOldestConvertibleOpset && changed(op, then, kOldestConvertibleOpset)) {
    return fmt::format("its definition in opset {} is not supported", opset_);
  }
  return std::nullopt;
}

bool NodeUpgrade::needed(const NodeProto& node) const {
  return opset_ < kOpset && changed(node.op_type(), opset_, kOpset);
}

UpgradedNode NodeUpgrade::upgrade(const NodeProto& node,
                                  std::span<const graph::ValueType* const> inputs) const {
  LegacyNode legacy = renamed(node, inputs, std::max(opset_, kOldestConvertibleOpset));
  prepare_for_conversion(legacy);
  require_standard(legacy.node, legacy.opset);
  ModelProto converted = convert(model_of(legacy, node), legacy.opset);
  UpgradedNode upgraded = result_of(legacy, converted, node);
  complete_conversion(legacy, upgraded);
  return upgraded;
}

}  // namespace weft::onnx_io
