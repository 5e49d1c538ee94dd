// Calls the program that builds an array of the RTL.
#pragma once

#include "rtl/cosim/rtl_models.h"

namespace weft {

/// Runs `program` as prepare_rtl_array() says, its output on standard error. Throws ConfigError if
/// it cannot be started or fails.
void build_rtl_array(const char* program, const RtlArray& array);

}  // namespace weft
