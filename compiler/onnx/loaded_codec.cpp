#include "base/loaded_library.h"
#include "compiler/onnx/codec.h"

namespace weft::onnx_io {

const Codec& codec() {
  static const Codec& loaded =
      load_library<Codec>(library_folder() / "onnx.so", "weft_onnx_codec", WEFT_ONNX_INTERFACE);
  return loaded;
}

}  // namespace weft::onnx_io
