// Calculations for measurements: peaks by compute capability, medians, number of repetitions.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cuda/device/matmul_type.h"

namespace weft::cuda {

/// Dense operations per clock cycle of a multiprocessor; a multiply-add counts as two. kFloat32
/// runs on the float32 cores, all other types on the tensor cores. 0 if the compute capability is
/// not in the table or lacks the type. Sources: NVIDIA's architecture white papers for Turing,
/// Ampere GA100 and GA102, Ada and Hopper. The figures of the GA102 and Ada families are for
/// float32 accumulation on GeForce cards: half the rate of the professional cards.
double operations_per_cycle(MatmulType type, std::int32_t major, std::int32_t minor);

/// The middle of the sorted values; the lower of the two if their number is even. `values` must not
/// be empty.
double median(std::vector<double> values);

/// Number of products per sample, 1 to 1000, if one takes `seconds`. A sample takes about a
/// millisecond, so that the events' resolution does not matter.
std::int32_t products_per_sample(double seconds);

}  // namespace weft::cuda
