// The inputs of a model with every dimension known: from the file, from the shapes that the caller
// gave, or from the caller's values. A named dimension that stands in several inputs has one
// extent.
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

/// The inputs that are not constants too. Throws InputError: a type that is no tensor's, a
/// dimension left open (with the option that closes it), a shape or value that contradicts the file
/// or another input, or one that is given for no input.
std::vector<BoundInput> bind_inputs(const ::onnx::GraphProto& model, const Constants& constants,
                                    const ImportOptions& options);

/// How the file writes a shape: "Nx3x?x224", or "scalar".
std::string to_text(const ::onnx::TensorShapeProto& shape);

}  // namespace weft::onnx_io
