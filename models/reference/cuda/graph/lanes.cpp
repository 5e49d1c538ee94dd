#include "models/reference/cuda/graph/lanes.h"

#include <algorithm>

namespace weft::cuda {

StridedLanes lanes_along(const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& axes) {
  // In each shape, dimensions of the other kind get extent 1, which a walk skips.
  std::vector<std::int64_t> kept = shape;
  std::vector<std::int64_t> reduced = shape;
  std::vector<std::int64_t> strides(shape.size());
  StridedLanes lanes;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const bool is_reduced = std::ranges::count(axes, static_cast<std::int64_t>(d)) != 0;
    (is_reduced ? kept : reduced)[d] = 1;
    (is_reduced ? lanes.length : lanes.count) *= shape[d];
    strides[d] = stride;
    stride *= shape[d];
  }
  lanes.starts = strided<1>(kept, {strides});
  lanes.elements = strided<1>(reduced, {strides});
  return lanes;
}

Pieces plan_pieces(std::int64_t lanes, std::int64_t length) {
  constexpr std::int64_t kShort = 16;           // elements that one thread sums in any case
  constexpr std::int64_t kManyLanes = 1 << 16;  // threads that keep a device busy
  if (length <= kShort || lanes == 0 || lanes >= kManyLanes) return {1, length};
  const std::int64_t wanted = std::min(length / kShort, kManyLanes / lanes + 1);
  const std::int64_t piece = (length + wanted - 1) / wanted;
  return {(length + piece - 1) / piece, piece};
}

Memory reduce_lanes(Device& device, ReduceKind kind, const float* x, const StridedLanes& lanes,
                    const double* shift, double divisor) {
  const Pieces pieces = plan_pieces(lanes.count, lanes.length);
  const Memory partial = device.allocate(lanes.count * pieces.count * 8);
  Memory total = device.allocate(lanes.count * 8);
  device.run(Reduce{kind, x, shift, elements_of<double>(partial), lanes.length, pieces.count,
                    pieces.length, lanes.starts, lanes.elements},
             lanes.count * pieces.count);
  device.run(Combine{kind, elements_of<double>(partial), elements_of<double>(total), pieces.count,
                     divisor},
             lanes.count);
  return total;
}

}  // namespace weft::cuda
