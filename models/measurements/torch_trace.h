// A trace of PyTorch's profiler as measurements. The time of a product on a GPU is that of the
// kernels that it started, itself or through operators inside it. In a trace without kernels it is
// the operator's own duration on the processor.
//
//   aten::linear ──────────────────────   a product inside another: only the innermost counts
//     aten::t ──    aten::addmm ───────   External id 7
//                     kernels of id 7     their sum is the time of addmm
#pragma once

#include <optional>

#include "models/measurements/torch_events.h"

namespace weft::measurements {

/// The measurements; the times of all of them sum to that of all kernels, or, without kernels, to
/// that of the outermost operators. Throws InputError, without the file's name, if there are
/// neither operators nor kernels.
MeasurementFile torch_measurements(const TorchEvents& events);

}  // namespace weft::measurements
