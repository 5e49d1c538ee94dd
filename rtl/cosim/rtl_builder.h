// Calls the program that builds an array of the RTL.
#pragma once

#include "rtl/cosim/rtl_models.h"

namespace weft {

/// Runs `program` with the arguments that prepare_rtl_array() describes. Its output goes to
/// standard error. Throws ConfigError if it cannot be started or fails.
void build_rtl_array(const char* program, const RtlArray& array);

}  // namespace weft
