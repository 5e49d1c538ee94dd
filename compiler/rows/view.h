// Where a value's elements lie in the machine. A sheet is a matrix [rows, channels], cut into
// planes of R channels. Each plane takes `rows` UB rows (or host rows) of R elements, one plane
// after the other:
//
//           channels 0..R-1      channels R..2R-1
//   row 0   | UB row base      |  base + rows     |
//   row 1   |         base + 1 |  base + rows + 1 |
//   ...
//
// A view maps a tensor's indices into a sheet: each dimension steps along rows or along channels.
// Reshaping, transposing, splitting heads and slicing cost nothing if the steps allow it. For
// example, an image NCHW has its pixels in rows and C in channels. Seen as [N, H*W, C], the same
// sheet is the input of a matmul.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::compiler {

using graph::Shape;

struct ViewDim {
  std::int64_t extent = 1;
  std::int64_t row_step = 0;
  std::int64_t channel_step = 0;
  friend bool operator==(const ViewDim&, const ViewDim&) = default;
};

struct View {
  std::size_t sheet = 0;
  std::int64_t row = 0;      // of element [0, ..., 0]
  std::int64_t channel = 0;  // of element [0, ..., 0]
  std::vector<ViewDim> dims;

  Shape shape() const;
  friend bool operator==(const View&, const View&) = default;
};

/// Rows and channels of a sheet.
struct SheetSize {
  std::int64_t rows = 1;
  std::int64_t channels = 1;
  friend bool operator==(const SheetSize&, const SheetSize&) = default;
};

/// The usual axis for the channels. For images: axis 1 of [N, C, ...] from rank 3 on, else the
/// last.
std::size_t image_channel_axis(std::size_t rank);
std::size_t last_channel_axis(std::size_t rank);

/// A new sheet for a tensor: `channel_axis` in the channels, the other axes in rows, row-major. A
/// scalar is one row of one channel.
SheetSize dense_sheet(const Shape& shape, std::size_t channel_axis);
View dense_view(std::size_t sheet, const Shape& shape, std::size_t channel_axis);

/// The same elements under another shape; nullopt if elements would have to move.
std::optional<View> reshaped(const View& view, const Shape& shape);
/// perm[i] is the axis of `view` that becomes axis i.
View transposed(const View& view, std::span<const std::int64_t> perm);
/// The `extent` indices begin, begin + step, ... of `axis`.
View sliced(const View& view, std::size_t axis, std::int64_t begin, std::int64_t extent,
            std::int64_t step);

/// True if dimension `axis` lies along adjacent channels, or has one element.
bool is_channel_axis(const View& view, std::size_t axis);
/// True if dimension `axis` lies along rows only, or has one element.
bool is_row_axis(const View& view, std::size_t axis);

}  // namespace weft::compiler
