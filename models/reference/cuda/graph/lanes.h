// Sums over lanes: a lane is the elements of a tensor that become one number.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

struct Lanes {
  std::int64_t count = 1;
  std::int64_t length = 1;
  Strided<1> starts;    // a lane's number to its first element
  Strided<1> elements;  // an element's number in its lane to its place behind the first
};

/// The lanes of a row-major tensor of `shape` along `axes`, in the order of the other dimensions.
/// Throws InputError if too many dimensions are left (Strided).
Lanes lanes_along(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& axes);

/// In how many pieces each lane is summed, and how long they are.
struct Pieces {
  std::int64_t count = 1;
  std::int64_t length = 0;
};
/// One piece if lanes are short or there are many of them; else as many as a device can use.
Pieces plan_pieces(std::int64_t lanes, std::int64_t length);

/// [lanes] in binary64: what `kind` makes of each lane, divided by `divisor`. `shift` [lanes] may
/// be null.
Memory reduce_lanes(Device& device, ReduceKind kind, const float* x, const Lanes& lanes,
                    const double* shift = nullptr, double divisor = 1.0);

}  // namespace weft::cuda
