#include "compiler/onnx/codec/version_converter.h"

#include <onnx/version_converter/convert.h>

namespace weft::onnx_io {

::onnx::ModelProto convert_version(const ::onnx::ModelProto& model, int from, int to) {
  // It is a table that never changes, and takes 10 ms to make.
  static const ::onnx::version_conversion::DefaultVersionConverter converter;
  return converter.convert_version(model, ::onnx::OpSetID(from), ::onnx::OpSetID(to));
}

}  // namespace weft::onnx_io
