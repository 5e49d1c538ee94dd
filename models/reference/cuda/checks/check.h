// Checks of a device against something else: plain loops, the CPU reference, this processor. Each
// function runs on any Device: on LoopDevice in Weft's tests, on a CUDA device where there is one
// (tests and weft_gpu).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

struct Outcome {
  std::string name;
  bool passed = false;
  std::string
      detail;  // what was compared, how far it is off in units of its bound, or what is wrong
};

/// Products of every MatmulType, shapes from 1 to a few hundred, transposed and in batches, against
/// a triple loop in binary64. One outcome for each type.
std::vector<Outcome> check_products(Device& device, std::uint64_t seed);

/// Every body on `device` and on this processor: the same bits, but for functions such as exp,
/// which may differ in the last place. The last outcome says whether every alternative of Body was
/// tried.
std::vector<Outcome> check_bodies(Device& device, std::uint64_t seed);

}  // namespace weft::cuda
