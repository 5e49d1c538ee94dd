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
  return {image[0], lines.joined * image[1], lines.rows_of(image[2]), image[3]};
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
  if (lines.in.has_border(y.input) || lines.out.has_border(y.output)) return false;
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

MakeTensor joined_filters(const MakeTensor& filters, const FilterShape& shape,
                          const JoinedLines& lines, std::uint8_t zero) {
  return [filters, shape, lines, zero] {
    const graph::Tensor from = filters();
    const graph::WindowDim window = joined_window(shape.y, lines);
    graph::Tensor joined(from.type(), {lines.out.joined * shape.n, lines.in.joined * shape.k,
                                       window.kernel, shape.taps});
    const std::span<std::byte> to = joined.mutable_bytes();
    std::ranges::fill(to, std::byte{zero});
    const std::int64_t group_k = shape.k / shape.groups;
    const std::int64_t group_n = shape.n / shape.groups;
    const std::size_t bytes = graph::size_bytes(from.type()) * unsigned_of(shape.taps);
    for (const JoinedTap& each : joined_taps(shape.y, lines)) {
      for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t k = 0; k < group_k; ++k) {
          const std::int64_t source = (n * group_k + k) * shape.y.kernel + each.tap;
          const std::int64_t channel = each.in * shape.k + n / group_n * group_k + k;
          const std::int64_t column = each.out * shape.n + n;
          const std::int64_t target =
              (column * lines.in.joined * shape.k + channel) * window.kernel + each.place;
          std::ranges::copy(from.bytes().subspan(unsigned_of(source) * bytes, bytes),
                            to.subspan(unsigned_of(target) * bytes, bytes).begin());
        }
      }
    }
    return joined;
  };
}

MakeTensor repeated(const MakeTensor& numbers, std::int64_t times) {
  if (!numbers || times == 1) return numbers;
  return [numbers, times] {
    const graph::Tensor from = numbers();
    if (from.size() == 1) return from;
    graph::Tensor to(from.type(), {times * from.size()});
    for (std::int64_t i = 0; i < times; ++i) {
      std::ranges::copy(from.bytes(),
                        to.mutable_bytes().subspan(unsigned_of(i) * from.bytes().size()).begin());
    }
    return to;
  };
}

}  // namespace weft::compiler
