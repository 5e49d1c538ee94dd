// Checks that compare a device with plain loops, the CPU reference or this processor. Each function
// runs on any Device: on LoopDevice in Weft's tests, and on a CUDA device if there is one (tests
// and weft_gpu).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

struct Outcome {
  std::string name;
  bool passed = false;
  std::string detail;  // comparisons and error in units of its bound, or the problem
};

/// Compares products with a triple loop in binary64: every MatmulType, extents from 1 to a few
/// hundred, transposed and in batches. Returns one outcome for each type.
std::vector<Outcome> check_products(Device& device, std::uint64_t seed);

/// Runs every body on `device` and on this processor. Results must have the same bits, except that
/// functions such as exp may differ in the last place. The last outcome says whether every
/// alternative of Body was tried.
std::vector<Outcome> check_bodies(Device& device, std::uint64_t seed);

}  // namespace weft::cuda
