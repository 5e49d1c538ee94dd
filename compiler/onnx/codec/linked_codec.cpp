// For a program that links the codec instead of loading it: the fuzzer, which must instrument the
// codec's code.
#include "compiler/onnx/codec/functions.h"

namespace weft::onnx_io {

const Codec& codec() {
  return kCodec;
}

}  // namespace weft::onnx_io
