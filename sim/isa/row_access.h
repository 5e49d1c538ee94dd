// Which rows of the unified buffer an instruction touches beside the transfers' plain ranges, and
// when: what orders them (dependences) and what proves the order (hazards) agree here.
//
//   narrow, R = 4, column 2, 7 lanes, plane 8         wide, result_row_rows() = 4
//     row 0   . . 0 1                                   row 0..3   lanes 0..C-1 of index 0
//     row 8   2 3 4 5      three planes at index 0      row 4..7   lanes 0..C-1 of index 1
//     row 16  6 . . .
//
// An index is a row of the instruction; one index takes place in one cycle, the first in the cycle
// in which the instruction starts (a write: as much later as the unit's latency). A narrow row is
// touched as a whole even if the lanes are but a part of it.
#pragma once

#include <cstdint>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/row_class.h"
#include "sim/isa/row_generator.h"

namespace weft {

/// Rows row, row+step, .. (`count` of them): row + j*step is touched at the indices
/// first_index + j/group and, if `length` is more than 1 (one row for many indices), at the
/// length-1 indices after that.
struct RowTouch {
  std::uint64_t row = 0;
  std::uint64_t count = 1;
  std::uint32_t first_index = 0;
  std::uint32_t group = 1;
  std::uint32_t length = 1;
  std::uint64_t step = 1;  // more than 1 only if group and length are 1

  /// The row behind the last.
  std::uint64_t end() const { return row + (count - 1) * step + 1; }
  /// Of the rows row .. end()-1, those that are touched.
  RowClass rows() const { return RowClass::of(row, step); }
  friend bool operator==(const RowTouch&, const RowTouch&) = default;
};

/// Lanes that `vector` computes: 1..C in a valid program.
constexpr std::uint32_t computed_lanes(const Vector& vector, const MachineConfig& config) {
  return vector.lanes == 0 ? config.array_cols : vector.lanes;
}

/// Lanes that hold a result: those computed, or all C, to which a reduction gives its result.
constexpr std::uint32_t result_lanes(const Vector& vector, const MachineConfig& config) {
  return vector.reduce == VectorReduce::kNone ? computed_lanes(vector, config) : config.array_cols;
}

/// Lanes of the result that are written: with `fill` all C, else those that hold one.
constexpr std::uint32_t written_lanes(const Vector& vector, const MachineConfig& config) {
  return vector.fill ? config.array_cols : result_lanes(vector, config);
}

/// UB rows in which the first `lanes` lanes of a narrow row lie; lanes is at least 1.
constexpr std::uint64_t plane_count(const LaneWindow& window, std::uint32_t lanes,
                                    const MachineConfig& config) {
  return (std::uint64_t{window.column} + lanes - 1) / config.array_rows + 1;
}

/// UB rows that a fetch reads, one a cycle, and so the cycles that it takes: the tile's rows of the
/// first plane, then those of the second, and so on.
constexpr std::uint64_t buffer_tile_reads(const BufferTile& tile, const MachineConfig& config) {
  return tile.rows * plane_count(tile.window, tile.lanes, config);
}

/// What one index touches: `blocks` blocks of `group` consecutive rows, `distance` rows apart.
struct RowShape {
  std::uint64_t blocks = 1;
  std::uint64_t distance = 0;
  std::uint32_t group = 1;
};

/// From the first row of a shape to the one behind its last.
constexpr std::uint64_t shape_extent(const RowShape& shape) {
  return (shape.blocks - 1) * shape.distance + shape.group;
}

/// The shape of wide rows, or of the first `lanes` lanes of narrow ones.
RowShape row_shape(RowFormat format, const LaneWindow& window, std::uint32_t lanes,
                   const MachineConfig& config);

namespace detail {

/// The rows at which the indices of `run` begin, each of the shape's first block moved by `offset`.
template <class Function>
void touch_block(const RowRun& run, std::uint64_t offset, std::uint32_t group, Function& function) {
  const auto first = static_cast<std::uint64_t>(run.first_row) + offset;
  if (run.count == 1 || run.row_step == 0) {
    return function(RowTouch{first, group, run.first_index, group, run.count, 1});
  }
  if (run.row_step == std::int64_t{group}) {
    return function(
        RowTouch{first, std::uint64_t{run.count} * group, run.first_index, group, 1, 1});
  }
  if (group == 1 && run.row_step > 1) {
    const auto step = static_cast<std::uint64_t>(run.row_step);
    return function(RowTouch{first, run.count, run.first_index, 1, 1, step});
  }
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const auto moved = static_cast<std::uint64_t>(std::int64_t{i} * run.row_step);
    function(RowTouch{first + moved, group, run.first_index + i, group, 1, 1});
  }
}

template <class Function>
void touch_run(const RowRun& run, const RowShape& shape, Function& function) {
  for (std::uint64_t block = 0; block < shape.blocks; ++block) {
    touch_block(run, block * shape.distance, shape.group, function);
  }
}

}  // namespace detail

/// Calls function(RowTouch) for the rows of the unified buffer that `vector` writes, at indices
/// counted from its first result.
template <class Function>
void for_each_write(const Vector& vector, const MachineConfig& config, Function&& function) {
  const RowShape shape =
      row_shape(vector.format, vector.window, written_lanes(vector, config), config);
  const std::int64_t step =
      vector.format == RowFormat::kWide ? std::int64_t{config.result_row_rows()} : 1;
  detail::touch_run({0, vector.rows, vector.ub, step}, shape, function);
}

/// Calls function(RowTouch) for the rows of the unified buffer that `vector` reads: of its source,
/// operand and bias, and, if `mode` combines with it, of its destination. A row may be named more
/// than once, and not in order of index. Padding rows are not read.
template <class Function>
void for_each_read(const Vector& vector, const MachineConfig& config, Function&& function) {
  const std::uint32_t lanes = computed_lanes(vector, config);
  if (vector.source) {
    const RowShape shape = row_shape(vector.source->format, vector.source->window, lanes, config);
    for_each_run(vector.source->rows, vector.rows,
                 [&](const RowRun& run) { detail::touch_run(run, shape, function); });
  }
  if (vector.operand) {
    const VectorOperand& operand = *vector.operand;
    const RowShape shape = row_shape(operand.format, operand.window, lanes, config);
    detail::touch_run({0, vector.rows, operand.row, operand.step}, shape, function);
  }
  if (vector.has_bias) {
    const RowShape shape = row_shape(RowFormat::kWide, {}, lanes, config);
    detail::touch_run({0, vector.rows, vector.bias, 0}, shape, function);
  }
  if (vector.mode != VectorMode::kOverwrite) for_each_write(vector, config, function);
}

/// Calls function(RowTouch) for the rows of the unified buffer that `matmul` streams.
template <class Function>
void for_each_read(const Matmul& matmul, Function&& function) {
  for_each_run(matmul.ub, matmul.rows,
               [&](const RowRun& run) { detail::touch_run(run, RowShape{}, function); });
}

/// Calls function(RowTouch) for the rows of the unified buffer that a fetch of `tile` reads.
template <class Function>
void for_each_read(const BufferTile& tile, const MachineConfig& config, Function&& function) {
  const std::uint64_t planes = plane_count(tile.window, tile.lanes, config);
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    const auto first_index = static_cast<std::uint32_t>(plane * tile.rows);
    function(RowTouch{tile.row + plane * tile.window.plane, tile.rows, first_index, 1, 1, 1});
  }
}

}  // namespace weft
