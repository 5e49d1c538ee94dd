#include "compiler/onnx/tensor_file.h"

#include "compiler/onnx/external_data.h"
#include "compiler/onnx/located.h"
#include "compiler/onnx/model_file.h"
#include "compiler/onnx/tensor_proto.h"

namespace weft::onnx_io {

graph::Tensor read_tensor_pb(const std::string& path) {
  return located_in_file(path, [&] {
    ::onnx::TensorProto proto = read_tensor_message(path);
    return take_tensor(proto, folder_of(path));
  });
}

}  // namespace weft::onnx_io
