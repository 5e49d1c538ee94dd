// Conversion steps that ONNX's version converter omits or gets wrong; they run before and after the
// converter. The node's inputs are named i0, i1, ... and its outputs o0, o1, ...
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/node_upgrade.h"

namespace weft::onnx_io {

/// A node during its conversion from `opset` to 17.
struct LegacyNode {
  ::onnx::NodeProto node;
  std::vector<graph::ValueType> inputs;  // one per input; meaningless for an omitted input
  int opset = 0;
  std::vector<::onnx::NodeProto> before = {};  // nodes of opset 17 to insert before the node
  std::vector<::onnx::TensorProto> constants = {};
};

/// Does these steps before the conversion, because the converter cannot:
///  - Opset 6 to 7: replaces the broadcasting of Add, And, Equal, ... by "axis", of PRelu's slope
///    along the channels and of Gemm's C; removes "output_sequence" of the recurrent operators. The
///    node then has opset 7.
///  - Pad before opset 11: adds the default of "value".
///  - Resize of opsets 11 and 12: adds an empty constant for an omitted roi or scales.
/// Throws InputError for an "axis" that does not fit.
void prepare_for_conversion(LegacyNode& legacy);

/// Does these steps after the conversion, because the converter does not:
///  - Resize and Upsample before opset 11: sets asymmetric coordinates and rounding down.
///  - Pad: removes a "value" that the mode does not use.
///  - Clip and Pad: changes the bounds or value, always float32, to the node's type.
void complete_conversion(const LegacyNode& legacy, UpgradedNode& upgraded);

}  // namespace weft::onnx_io
