// The CUDA device of this computer as a device of `weft compare`: products by cuBLAS, timed by
// events, networks by the CUDA backend.
#pragma once

#include "cli/compare/measured_device.h"

namespace weft::cli {

/// Throws InputError if there is no CUDA device.
MeasuredDevice cuda_device();

}  // namespace weft::cli
