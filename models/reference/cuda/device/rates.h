// The arithmetic behind measurements: peaks by compute capability, medians, how often to repeat.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cuda/device/matmul_type.h"

namespace weft::cuda {

/// Operations (a multiply-add is two) that a multiprocessor completes in a clock cycle, dense: of
/// its float32 cores for kFloat32, of its tensor cores for the rest. 0 if the compute capability is
/// not in the table, or lacks the type. Sources: NVIDIA's architecture white papers for Turing,
/// Ampere GA100 and GA102, Ada and Hopper. Of the GA102 and Ada families the figures are those with
/// float32 accumulation as GeForce cards have it: half of the professional cards' rate.
double operations_per_cycle(MatmulType type, std::int32_t major, std::int32_t minor);

/// The middle of the sorted values; of an even number of them the lower one of the two. There is
/// at least one.
double median(std::vector<double> values);

/// How many products one sample should time, so that it takes about a millisecond and the events'
/// own resolution does not count: 1 to 1000.
std::int32_t products_per_sample(double seconds);

}  // namespace weft::cuda
