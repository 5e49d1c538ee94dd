#include "compiler/segments/lines/joined_lines.h"

#include <algorithm>
#include <span>

#include "compiler/rows/unsigned_of.h"

namespace weft::compiler {

LineReach reach(const graph::WindowDim& y, const JoinedLines& lines, std::int64_t line,
                std::int64_t tap) {
  const std::int64_t in = lines.in.joined;
  const std::int64_t at =
      (line - lines.out.border) * y.stride - y.pad_begin + tap * y.dilation + lines.in.border;
  const std::int64_t joined = at >= 0 ? at / in : -((in - 1 - at) / in);
  return {joined, at - joined * in};
}

Shape joined_shape(const Shape& image, const ImageLines& lines) {
  return {image[0], lines.lanes(image[1]), lines.rows_of(image[2]), image[3]};
}

View joined_view(std::size_t sheet, const Shape& image, std::int64_t lines) {
  const View wide = dense_view(sheet, joined_shape(image, {lines}), 1);
  View view = wide;
  view.dims = {wide.dims[0], {image[1], 0, 1}, wide.dims[2], {lines, 0, image[1]}, wide.dims[3]};
  return view;
}

bool can_join(const graph::WindowDim& y, const JoinedLines& lines) {
  return lines.out.joined * y.stride % lines.in.joined == 0;
}

bool can_pool_joined(const graph::WindowDim& y, const JoinedLines& lines) {
  if (lines.in.joined != lines.out.joined * y.stride) return false;
  if (!lines.in.is_dense(y.input) || !lines.out.is_dense(y.output)) return false;
  if (lines.out.rows_of(y.output) != lines.in.rows_of(y.input)) return false;
  // A result line can take one operand from another joined line.
  for (std::int64_t line = 0; line < lines.out.joined; ++line) {
    std::int64_t others = 0;
    for (std::int64_t tap = 0; tap < y.kernel; ++tap) {
      const std::int64_t joined = reach(y, lines, line, tap).joined;
      others += joined == 0 ? 0 : 1;
      if (joined < -1 || joined > 1) return false;
    }
    if (others > 1) return false;
  }
  return true;
}

graph::WindowDim joined_window(const graph::WindowDim& y, const JoinedLines& lines) {
  const std::int64_t first = reach(y, lines, 0, 0).joined;
  const std::int64_t last = reach(y, lines, lines.out.joined - 1, y.kernel - 1).joined;
  graph::WindowDim joined;
  joined.input = lines.in.rows_of(y.input);
  joined.output = lines.out.rows_of(y.output);
  joined.kernel = last - first + 1;
  joined.stride = lines.out.joined * y.stride / lines.in.joined;
  joined.pad_begin = -first;
  joined.pad_end = std::max<std::int64_t>(
      0, (joined.output - 1) * joined.stride + joined.kernel - joined.pad_begin - joined.input);
  return joined;
}

std::vector<JoinedTap> joined_taps(const graph::WindowDim& y, const JoinedLines& lines) {
  const std::int64_t pad_begin = joined_window(y, lines).pad_begin;
  std::vector<JoinedTap> taps;
  for (std::int64_t line = 0; line < lines.out.joined; ++line) {
    for (std::int64_t tap = 0; tap < y.kernel; ++tap) {
      const LineReach at = reach(y, lines, line, tap);
      taps.push_back({at.joined + pad_begin, at.line, line, tap});
    }
  }
  return taps;
}

std::int64_t joined_groups(std::int64_t k, std::int64_t n, std::int64_t groups,
                           const JoinedLines& lines) {
  const std::int64_t slices = lines.in.slices(k);
  if (slices == 1 || slices != lines.out.slices(n)) return 1;
  const std::int64_t group_k = k / groups;
  const std::int64_t group_n = n / groups;
  const bool is_whole = lines.in.slice % group_k == 0 && lines.out.slice % group_n == 0;
  return is_whole && lines.in.slice / group_k == lines.out.slice / group_n ? slices : 1;
}

MakeTensor joined_filters(const MakeTensor& filters, const FilterShape& shape,
                          const JoinedLines& lines, std::uint8_t zero) {
  return [filters, shape, lines, zero] {
    const graph::Tensor from = filters();
    const graph::WindowDim window = joined_window(shape.y, lines);
    const std::int64_t parts = joined_groups(shape.k, shape.n, shape.groups, lines);
    const std::int64_t channels = lines.in.lanes(shape.k) / parts;
    graph::Tensor joined(from.type(),
                         {lines.out.lanes(shape.n), channels, window.kernel, shape.taps});
    const std::span<std::byte> to = joined.mutable_bytes();
    std::ranges::fill(to, std::byte{zero});
    const std::int64_t group_k = shape.k / shape.groups;
    const std::int64_t group_n = shape.n / shape.groups;
    const std::size_t bytes = graph::size_bytes(from.type()) * unsigned_of(shape.taps);
    for (const JoinedTap& each : joined_taps(shape.y, lines)) {
      for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t k = 0; k < group_k; ++k) {
          const std::int64_t source = (n * group_k + k) * shape.y.kernel + each.tap;
          const std::int64_t lane = lines.in.lane(shape.k, each.in, n / group_n * group_k + k);
          const std::int64_t column = lines.out.lane(shape.n, each.out, n);
          const std::int64_t target =
              (column * channels + lane % channels) * window.kernel + each.place;
          std::ranges::copy(from.bytes().subspan(unsigned_of(source) * bytes, bytes),
                            to.subspan(unsigned_of(target) * bytes, bytes).begin());
        }
      }
    }
    return joined;
  };
}

MakeTensor repeated(const MakeTensor& numbers, const ImageLines& lines) {
  if (!numbers || !lines.any()) return numbers;
  return [numbers, lines] {
    const graph::Tensor from = numbers();
    const std::int64_t channels = from.size();
    if (channels == 1) return from;
    graph::Tensor to(from.type(), {lines.lanes(channels)});
    const std::size_t bytes = graph::size_bytes(from.type());
    for (std::int64_t line = 0; line < lines.joined; ++line) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        const std::size_t lane = unsigned_of(lines.lane(channels, line, channel));
        std::ranges::copy(from.bytes().subspan(unsigned_of(channel) * bytes, bytes),
                          to.mutable_bytes().subspan(lane * bytes, bytes).begin());
      }
    }
    return to;
  };
}

}  // namespace weft::compiler
