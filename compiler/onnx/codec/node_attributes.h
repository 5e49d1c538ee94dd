// What stands in a node's message besides its inputs and outputs: its name, domain and attributes.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

#include "compiler/graph/attributes.h"

namespace weft::onnx_io {

/// The operators of ONNX itself are in the domain "", also written "ai.onnx".
bool is_default_domain(std::string_view domain);
/// "Conv", or with a domain of its own "com.microsoft::FusedConv".
std::string operator_name(const ::onnx::NodeProto& node);
/// The node's name; if it has none, that of its first output that has one.
std::string node_name(const ::onnx::NodeProto& node);
/// `node 'conv1' (Conv)`.
std::string label_of(const ::onnx::NodeProto& node);

/// The attributes. Throws InputError, naming the attribute, for a kind that graphs have not
/// (graphs, sparse tensors, lists of tensors, types), for one that is given twice, and for a broken
/// tensor.
graph::Attributes read_attributes(const ::onnx::NodeProto& node);
/// Adds `attributes` to `node`.
void put_attributes(const graph::Attributes& attributes, ::onnx::NodeProto& node);

}  // namespace weft::onnx_io
