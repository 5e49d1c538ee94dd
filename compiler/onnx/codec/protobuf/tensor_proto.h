// Converts tensors and element types between ONNX and the graph.
#pragma once

#include <onnx/onnx_pb.h>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/protobuf/external_data.h"

namespace weft::onnx_io {

/// BFLOAT16 is read as kFloat32, which has all its numbers. Throws InputError, such as "element
/// type UINT16 is not supported", for any other type that DataType lacks.
graph::DataType data_type_of_onnx(std::int64_t type);
::onnx::TensorProto::DataType onnx_data_type(graph::DataType type);

/// Makes a tensor from `proto` and removes the elements from `proto`, so that they are in memory
/// only once. Throws InputError, without the tensor's name, if the element type is not supported,
/// if the size overflows, or if the elements are too few, too many, out of range, stored twice, or
/// in a file that is not in `folder`.
graph::Tensor take_tensor(::onnx::TensorProto& proto, const DataFolder& folder);

/// Sets the type, dimensions and elements (raw_data) of `proto`.
void put_tensor(const graph::Tensor& tensor, ::onnx::TensorProto& proto);

}  // namespace weft::onnx_io
