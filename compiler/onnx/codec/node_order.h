// The order in which a model's nodes can be added: what a node uses is made before it. ONNX demands
// that order of the file too, but not every exporter keeps it.
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "compiler/onnx/codec/constants.h"

namespace weft::onnx_io {

/// The nodes except those that Constants holds, in the file's order as far as possible. Throws
/// InputError naming the node: a value that is made twice or nowhere, or a cycle.
std::vector<const ::onnx::NodeProto*> ordered_nodes(const ::onnx::GraphProto& model,
                                                    const Constants& constants);

}  // namespace weft::onnx_io
