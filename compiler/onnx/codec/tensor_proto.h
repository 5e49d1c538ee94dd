// ONNX's tensors and element types into the graph's and back.
#pragma once

#include <onnx/onnx_pb.h>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/external_data.h"

namespace weft::onnx_io {

/// Throws InputError "element type BFLOAT16 is not supported" for a type that graphs have not.
graph::DataType data_type_of_onnx(int type);
::onnx::TensorProto::DataType onnx_data_type(graph::DataType type);

/// The tensor. Its elements are taken out of `proto` as they are copied, so that they are in memory
/// once afterwards. Throws InputError, without naming the tensor: an element type that is not
/// supported, dimensions whose product overflows, elements that are too few, too many, out of
/// their type's range, stored twice, or in a file that `folder` does not have.
graph::Tensor take_tensor(::onnx::TensorProto& proto, const DataFolder& folder);

/// Sets type, dimensions and elements (raw_data) of `proto`.
void put_tensor(const graph::Tensor& tensor, ::onnx::TensorProto& proto);

}  // namespace weft::onnx_io
