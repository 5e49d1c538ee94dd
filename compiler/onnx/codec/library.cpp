// The only symbol that onnx.so exports.
#include "compiler/onnx/codec/functions.h"

// NOLINTNEXTLINE(readability-identifier-naming): a symbol of C
extern "C" __attribute__((visibility("default"))) const weft::onnx_io::Codec weft_onnx_codec =
    weft::onnx_io::kCodec;
