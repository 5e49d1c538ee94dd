// Sorts a model's nodes so that every value is made before it is used. ONNX requires this order in
// the file, but not every exporter keeps it.
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "compiler/onnx/codec/constants.h"

namespace weft::onnx_io {

/// The nodes except Constant nodes, in the file's order where possible. Throws InputError with the
/// node's label for a value that is made twice or never, or for a cycle.
std::vector<const ::onnx::NodeProto*> ordered_nodes(const ::onnx::GraphProto& model,
                                                    const Constants& constants);

}  // namespace weft::onnx_io
