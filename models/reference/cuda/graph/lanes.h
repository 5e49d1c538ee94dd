// Reductions over lanes. A lane is the set of elements that are reduced to one number.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

struct StridedLanes {
  std::int64_t count = 1;
  std::int64_t length = 1;
  Strided<1> starts;    // maps a lane's number to its first element
  Strided<1> elements;  // maps an element's number in its lane to its offset from the first
};

/// The lanes of a row-major tensor of `shape` along `axes`, in the order of the other dimensions.
/// Throws InputError if too many dimensions are left (Strided).
StridedLanes lanes_along(const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& axes);

/// Number and length of the pieces in which each lane is summed.
struct Pieces {
  std::int64_t count = 1;
  std::int64_t length = 0;
};
/// One piece if lanes are short or there are many of them; else as many as a device can use.
Pieces plan_pieces(std::int64_t lanes, std::int64_t length);

/// Reduces each lane by `kind` and divides by `divisor`. Returns binary64 [lanes]. `shift` [lanes]
/// may be null.
Memory reduce_lanes(Device& device, ReduceKind kind, const float* x, const StridedLanes& lanes,
                    const double* shift = nullptr, double divisor = 1.0);

}  // namespace weft::cuda
