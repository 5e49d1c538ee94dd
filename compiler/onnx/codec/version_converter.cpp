#include "compiler/onnx/codec/version_converter.h"

#include <onnx/version_converter/convert.h>

namespace weft::onnx_io {

::onnx::ModelProto convert_version(const ::onnx::ModelProto& model, int from, int to) {
  // The converter is a table that never changes. Making it takes 10 ms, so make it once.
  static const ::onnx::version_conversion::DefaultVersionConverter converter;
  return converter.convert_version(model, ::onnx::OpSetID(from), ::onnx::OpSetID(to));
}

}  // namespace weft::onnx_io
