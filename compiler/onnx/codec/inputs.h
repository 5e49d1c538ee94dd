// Determines every dimension of a model's inputs: from the file, from the caller's shapes, or from
// the caller's values. A named dimension has the same extent in all inputs.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/constants.h"
#include "compiler/onnx/import.h"

namespace weft::onnx_io {

struct BoundInput {
  std::string name;
  graph::ValueType type;
};

/// The inputs that are not also constants. Throws InputError for a type other than a tensor, a
/// dimension that is still open (the message suggests an option), a given shape or value that
/// contradicts the file or another input, or one with the name of no input.
std::vector<BoundInput> bind_inputs(const ::onnx::GraphProto& model, const Constants& constants,
                                    const ImportOptions& options);

/// The shape as the file declares it, for example "Nx3x?x224" or "scalar".
std::string to_text(const ::onnx::TensorShapeProto& shape);

}  // namespace weft::onnx_io
