// Checks of networks on a device against the CPU reference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/checks/operator_cases.h"
#include "models/reference/cuda/cuda_backend.h"

namespace weft::cuda {

/// Runs the case on the device. Empty if every output is as close to the CPU reference's as the case
/// asks; else what is wrong.
std::string difference(const OperatorCase& test, const std::shared_ptr<Device>& device,
                       MatmulType matmul);

/// `rounds` rounds of random cases of every family, contractions in every arithmetic. One outcome
/// for each operator that the device runs; one of which no case was drawn has failed.
std::vector<Outcome> check_operators(const std::shared_ptr<Device>& device, std::uint64_t seed,
                                     int rounds);

}  // namespace weft::cuda
