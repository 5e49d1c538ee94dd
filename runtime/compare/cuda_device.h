// The CUDA device of this computer as a device of `weft compare`. cuBLAS computes products, timed
// by events; the CUDA backend computes networks.
#pragma once

#include "runtime/compare/measured_device.h"

namespace weft::runtime {

/// Throws InputError if there is no CUDA device.
MeasuredDevice cuda_device();

}  // namespace weft::runtime
