// The rows and channels of a view, as layers walk over them.
#include "compiler/segments/planner.h"

namespace weft::compiler {

RowWalk walk_of(const std::vector<ViewDim>& loops) {
  const auto loop = [&](std::size_t from_inner) {
    return from_inner < loops.size() ? loops[loops.size() - 1 - from_inner] : ViewDim{};
  };
  RowWalk walk;
  walk.images = loop(2).extent;
  walk.image_step = loop(2).row_step;
  walk.y.input = walk.y.output = loop(1).extent;
  walk.y_step = loop(1).row_step;
  walk.x.input = walk.x.output = loop(0).extent;
  walk.x_step = loop(0).row_step;
  return walk;
}

std::optional<RowWalk> walk_rows(const View& view, std::size_t channel_axis) {
  std::vector<ViewDim> loops;
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    const ViewDim& dim = view.dims[axis];
    if (axis == channel_axis || dim.extent == 1) continue;
    if (!is_row_axis(view, axis)) return std::nullopt;
    if (!loops.empty() && loops.back().row_step == dim.row_step * dim.extent) {
      loops.back() = {loops.back().extent * dim.extent, dim.row_step, 0};
    } else {
      loops.push_back(dim);
    }
  }
  if (loops.size() > 3) return std::nullopt;
  return walk_of(loops);
}

std::optional<std::size_t> channel_axis_of(const View& view) {
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    const ViewDim& dim = view.dims[axis];
    if (dim.extent == 1 || dim.channel_step == 0) continue;
    if (found || dim.channel_step != 1 || dim.row_step != 0) return std::nullopt;
    found = axis;
  }
  if (found) return found;
  // With one channel, any axis of one element will do.
  for (std::size_t axis = view.dims.size(); axis-- > 0;) {
    if (view.dims[axis].extent == 1) return axis;
  }
  return std::nullopt;
}

}  // namespace weft::compiler
