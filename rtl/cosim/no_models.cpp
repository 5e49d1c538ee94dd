// The models of a build without RTL: none.
#include "rtl/cosim/rtl_models.h"

namespace weft {

std::span<const RtlModel> rtl_models() {
  return {};
}

}  // namespace weft
