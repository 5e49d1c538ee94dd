// The CUDA device of this computer as a device of `weft compare`. cuBLAS computes products, timed
// by events; the CUDA backend computes networks.
#pragma once

#include "cli/compare/measured_device.h"

namespace weft::cli {

/// Throws InputError if there is no CUDA device.
MeasuredDevice cuda_device();

}  // namespace weft::cli
