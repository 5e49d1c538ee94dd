// The parts of a node's message other than inputs and outputs: name, domain and attributes.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

#include "compiler/graph/attributes.h"

namespace weft::onnx_io {

/// True for the domain of ONNX's own operators: "", also written "ai.onnx".
bool is_default_domain(std::string_view domain);
/// The operator with its domain, if that is not ONNX's: "Conv", "com.microsoft::FusedConv".
std::string operator_name(const ::onnx::NodeProto& node);
/// The node's name. If it has none, the name of its first used output.
std::string node_name(const ::onnx::NodeProto& node);
/// The node's label in error messages: `node 'conv1' (Conv)`.
std::string label_of(const ::onnx::NodeProto& node);

/// The node's attributes. Throws InputError, with the attribute's name, for an unsupported kind
/// (graph, sparse tensor, list of tensors, type), a duplicate attribute, or an invalid tensor.
graph::Attributes read_attributes(const ::onnx::NodeProto& node);
/// Adds `attributes` to `node`.
void put_attributes(const graph::Attributes& attributes, ::onnx::NodeProto& node);

}  // namespace weft::onnx_io
