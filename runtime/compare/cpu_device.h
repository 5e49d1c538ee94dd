// This computer's processor as a device of `weft compare`. OpenBLAS (sgemm.h) computes products,
// Weft's own CPU backend networks. The clock is read after each repeat.
#pragma once

#include "runtime/compare/measured_device.h"

namespace weft::runtime {

MeasuredDevice cpu_device();

}  // namespace weft::runtime
