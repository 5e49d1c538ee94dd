// What ONNX's version converter leaves out or gets wrong, done before and after it. A node passes
// through here with its inputs named i0, i1, ... and its outputs o0, o1, ...
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/node_upgrade.h"

namespace weft::onnx_io {

/// A node on its way from `opset` to 17.
struct LegacyNode {
  ::onnx::NodeProto node;
  std::vector<graph::ValueType> inputs;  // of the inputs that are not left out, by position
  int opset = 0;
  std::vector<::onnx::NodeProto> before = {};  // at opset 17, to stand in front of the node
  std::vector<::onnx::TensorProto> constants = {};
};

/// Steps that the converter does not know:
///  - opset 6 to 7: the broadcasting of Add, And, Equal, ... by "axis", of PRelu's slope along the
///    channels, of Gemm's C; "output_sequence" of the recurrent operators. The node is of opset 7
///    afterwards.
///  - Pad before opset 11: the default of "value".
///  - Resize of opsets 11 and 12: an empty roi, or scales beside sizes, where it is left out.
/// Throws InputError for an "axis" that does not fit.
void prepare_for_conversion(LegacyNode& legacy);

/// Steps that the converter leaves undone:
///  - Resize and Upsample before opset 11 count from the corner and round down.
///  - Pad's "value" where the mode makes nothing of it.
///  - Clip's bounds and Pad's value, always written as float32, in the node's type.
void complete_conversion(const LegacyNode& legacy, UpgradedNode& upgraded);

}  // namespace weft::onnx_io
