// The Markdown that weft_gpu prints.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/device/cuda_device.h"

namespace weft::cuda {

/// Checks operators and networks on the device; with `large`, also networks of a few GMACs. In a
/// build without fmt and Eigen, returns one outcome that says what is not checked.
std::vector<Outcome> check_graphs(const std::shared_ptr<Device>& device, bool large);

/// Prints the failed checks, if any, the passed ones, and how many passed. Returns whether all did.
bool print_checks(std::ostream& out, const std::vector<Outcome>& outcomes);

/// Prints the device in one line.
void print_device(std::ostream& out, const DeviceInfo& device);

/// Prints cuBLAS's rates for products of size x size matrices in every MatmulType.
void print_rates(std::ostream& out, std::int64_t size);

}  // namespace weft::cuda
