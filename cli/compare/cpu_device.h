// This computer's processor as a device of `weft compare`: products by OpenBLAS (sgemm.h), networks
// by Weft's own CPU backend; the clock read behind each repeat.
#pragma once

#include "cli/compare/measured_device.h"

namespace weft::cli {

MeasuredDevice cpu_device();

}  // namespace weft::cli
