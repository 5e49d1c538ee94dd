// For a program that contains the codec in place of loading it: the fuzzer, which must see its
// code.
#include "compiler/onnx/codec/functions.h"

namespace weft::onnx_io {

const Codec& codec() {
  return kCodec;
}

}  // namespace weft::onnx_io
