// Images with several lines in a row of the buffer. With P lines joined, row (y, x) of the sheet
// holds the pixels (P*y + p, x) of the image, p < P, each with its C channels:
//
//   channels 0..C-1        C..2C-1             (P-1)C..PC-1
//   (P*y, x)             | (P*y + 1, x)  | ... | (P*y + P-1, x)
//
// With a border of B lines, the row holds the pixels (P*y + p - B, x). Lines outside the image,
// also the last ones if P does not divide H + B, hold padding. A window of 3 lines over P joined
// lines reaches 3 joined lines if both images have the same border, and 2 if one of them has a
// border of 1.
//
// With slices of S channels, the lanes of a slice hold its channels of all joined lines:
//
//   0..S-1               S..2S-1                     pitch..
//   (P*y, x), 0..S-1   | (P*y + 1, x), 0..S-1 | ... | (P*y, x), S..2S-1 | ...
//
// So a tile that reads a slice meets all lines of its channels, and a depthwise convolution needs
// only the tiles between the same slices. Only convolutions read and write slices.
//
// Layers that work lane by lane see an image of P*C channels and H/P lines. So does a convolution,
// with filters that are zero where a tap does not reach a line. It takes as many rows fewer as
// lines are joined in its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/graph/shapes/windows.h"
#include "compiler/layers/layers.h"
#include "compiler/rows/view.h"

namespace weft::compiler {

/// The shape of the wider image that layers see: [N, lanes of a row, H/P, W], the border counted in
/// H. Without slices, a row has P*C lanes.
Shape joined_shape(const Shape& image, const ImageLines& lines);
/// How an image [N, C, H, W] without a border and slices lies in a dense sheet of its own, as the
/// view [N, C, H/P, P, W].
View joined_view(std::size_t sheet, const Shape& image, std::int64_t lines);

/// True if a convolution with the windows `y` can read rows of `lines.in` joined lines and write
/// rows of `lines.out`.
bool can_join(const graph::WindowDim& y, const JoinedLines& lines);
/// Its windows along the joined lines.
graph::WindowDim joined_window(const graph::WindowDim& y, const JoinedLines& lines);

/// The same for a maximum over the windows.
bool can_pool_joined(const graph::WindowDim& y, const JoinedLines& lines);

/// Where tap `tap` of line `line` of a joined result line reads: the joined line of the operand,
/// counted from the one that the stride reaches, and the line in it.
struct LineReach {
  std::int64_t joined = 0;
  std::int64_t line = 0;
};
LineReach reach(const graph::WindowDim& y, const JoinedLines& lines, std::int64_t line,
                std::int64_t tap);

/// All lines of the filters between joined lines, by line of the result, then by tap.
std::vector<JoinedTap> joined_taps(const graph::WindowDim& y, const JoinedLines& lines);

/// Filters [n, k/groups, lines of the window, taps of a line] of a convolution.
struct FilterShape {
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t groups = 1;
  graph::WindowDim y;
  std::int64_t taps = 1;  // of a line
};

/// Groups of the convolution between joined lines: its slices, if each group reads one slice and
/// writes the same one; else 1.
std::int64_t joined_groups(std::int64_t k, std::int64_t n, std::int64_t groups,
                           const JoinedLines& lines);

/// The filters between joined lines: [lanes of a result row, lanes of an operand row / groups,
/// joined_window().kernel, taps]. Elements between which there is no tap have the weight `zero`,
/// one byte for integers.
MakeTensor joined_filters(const MakeTensor& filters, const FilterShape& shape,
                          const JoinedLines& lines, std::uint8_t zero);

/// A tensor of one number, or the numbers [C] for each lane of a row; 0 in lanes without a line.
MakeTensor repeated(const MakeTensor& numbers, const ImageLines& lines);

}  // namespace weft::compiler
