#include "compiler/onnx/codec/functions.h"
#include "compiler/onnx/codec/protobuf/external_data.h"
#include "compiler/onnx/codec/protobuf/model_file.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {

graph::Tensor read_tensor(const std::string& path) {
  return located_in_file(path, [&] {
    ::onnx::TensorProto proto = read_tensor_message(path);
    return take_tensor(proto, folder_of(path));
  });
}

}  // namespace weft::onnx_io
