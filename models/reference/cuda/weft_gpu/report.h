// What weft_gpu prints: Markdown.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/device/cuda_device.h"

namespace weft::cuda {

/// Checks of operators and networks on the device; with `large` also of networks of a few GMACs.
/// In a build without fmt and Eigen one outcome, which says what is not checked.
std::vector<Outcome> check_graphs(const std::shared_ptr<Device>& device, bool large);

/// A table of the failed checks, if there are any, and how many passed of what. Returns whether all
/// did.
bool print_checks(std::ostream& out, const std::vector<Outcome>& outcomes);

/// The device in one line.
void print_device(std::ostream& out, const DeviceInfo& device);

/// cuBLAS's rates for products of size x size matrices in every arithmetic that the device has.
void print_rates(std::ostream& out, std::int64_t size);

}  // namespace weft::cuda
