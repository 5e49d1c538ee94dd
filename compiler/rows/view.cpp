#include "compiler/rows/view.h"

namespace weft::compiler {

Shape View::shape() const {
  Shape shape;
  for (const ViewDim& dim : dims) shape.push_back(dim.extent);
  return shape;
}

std::size_t image_channel_axis(std::size_t rank) {
  return rank >= 3 ? 1 : last_channel_axis(rank);
}

std::size_t last_channel_axis(std::size_t rank) {
  return rank == 0 ? 0 : rank - 1;
}

SheetSize dense_sheet(const Shape& shape, std::size_t channel_axis) {
  if (shape.empty()) return {};
  const std::int64_t channels = shape[channel_axis];
  return {channels == 0 ? 0 : graph::element_count(shape) / channels, channels};
}

View dense_view(std::size_t sheet, const Shape& shape, std::size_t channel_axis) {
  View view{sheet, 0, 0, {}};
  view.dims.resize(shape.size());
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    view.dims[axis].extent = shape[axis];
    if (axis == channel_axis) {
      view.dims[axis].channel_step = 1;
    } else {
      view.dims[axis].row_step = step;
      step *= shape[axis];
    }
  }
  return view;
}

namespace {

/// Omits dimensions of one element, which say nothing about where elements lie.
std::vector<ViewDim> proper_dims(const View& view) {
  std::vector<ViewDim> dims;
  for (const ViewDim& dim : view.dims) {
    if (dim.extent != 1) dims.push_back(dim);
  }
  return dims;
}

bool continues(const ViewDim& outer, const ViewDim& inner) {
  return outer.row_step == inner.row_step * inner.extent &&
         outer.channel_step == inner.channel_step * inner.extent;
}

/// Splits `whole`, one run of equal steps, into the dimensions [first, last) of `dims`.
void split(const ViewDim& whole, std::vector<ViewDim>& dims, std::size_t first, std::size_t last) {
  std::int64_t scale = 1;
  for (std::size_t i = last; i-- > first;) {
    if (dims[i].extent != 1) {
      dims[i].row_step = whole.row_step * scale;
      dims[i].channel_step = whole.channel_step * scale;
    }
    scale *= dims[i].extent;
  }
}

}  // namespace

std::optional<View> reshaped(const View& view, const Shape& shape) {
  View result{view.sheet, view.row, view.channel, {}};
  for (const std::int64_t extent : shape) result.dims.push_back({extent, 0, 0});
  if (graph::element_count(shape) == 0) return std::nullopt;
  const std::vector<ViewDim> old = proper_dims(view);
  std::size_t to = 0;
  for (std::size_t from = 0; from < old.size();) {
    // The smallest groups of old and new dimensions with the same number of elements.
    ViewDim whole = old[from++];
    std::size_t begin = to;
    std::int64_t wanted = 1;
    while (wanted != whole.extent) {
      if (wanted < whole.extent) {
        wanted *= shape[to++];
      } else {
        if (!continues(whole, old[from])) return std::nullopt;
        whole = {whole.extent * old[from].extent, old[from].row_step, old[from].channel_step};
        ++from;
      }
    }
    split(whole, result.dims, begin, to);
  }
  return result;
}

View transposed(const View& view, std::span<const std::int64_t> perm) {
  View result{view.sheet, view.row, view.channel, {}};
  for (const std::int64_t axis : perm) {
    result.dims.push_back(view.dims[static_cast<std::size_t>(axis)]);
  }
  return result;
}

View sliced(const View& view, std::size_t axis, std::int64_t begin, std::int64_t extent,
            std::int64_t step) {
  View result = view;
  ViewDim& dim = result.dims[axis];
  result.row += begin * dim.row_step;
  result.channel += begin * dim.channel_step;
  dim = {extent, dim.row_step * step, dim.channel_step * step};
  return result;
}

bool is_channel_axis(const View& view, std::size_t axis) {
  const ViewDim& dim = view.dims[axis];
  return dim.extent == 1 || (dim.row_step == 0 && dim.channel_step == 1);
}

bool is_row_axis(const View& view, std::size_t axis) {
  const ViewDim& dim = view.dims[axis];
  return dim.extent == 1 || dim.channel_step == 0;
}

}  // namespace weft::compiler
