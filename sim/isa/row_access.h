// Which rows an instruction touches, and when: the one list for dependences, hazards and occupancy.
// for_each_access() gives the accesses to host rows, UB rows and accumulator rows.
//
//   narrow, R = 4, column 2, 7 lanes, plane 8         wide, result_row_rows() = 4
//     row 0   . . 0 1                                   row 0..3   lanes 0..C-1 of index 0
//     row 8   2 3 4 5      three planes at index 0      row 4..7   lanes 0..C-1 of index 1
//     row 16  6 . . .
//
// An index is a row of the instruction. Each index takes one cycle; index 0 is read in the cycle in
// which the instruction starts, and written later by the unit's latency. A UB row of a narrow row
// is touched as a whole even if the lanes are only a part of it. Weight memory has no rows, and no
// instruction writes it; sim/timing/transfers.h has the addresses of its tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/patches.h"
#include "sim/isa/row_class.h"
#include "sim/isa/row_generator.h"

namespace weft {

/// `count` rows: row, row+step, .. Row row + j*step is touched at index first_index + j/group. If
/// `length` is more than 1 (one row for many indices), it is touched at the next length-1 indices,
/// too.
struct RowTouch {
  std::uint64_t row = 0;
  std::uint64_t count = 1;
  std::uint32_t first_index = 0;
  std::uint32_t group = 1;
  std::uint32_t length = 1;
  std::uint64_t step = 1;  // more than 1 only if group and length are 1

  /// The row after the last one.
  std::uint64_t end() const { return row + (count - 1) * step + 1; }
  /// The class of the touched rows among row .. end()-1.
  RowClass rows() const { return RowClass::of(row, step); }
  friend bool operator==(const RowTouch&, const RowTouch&) = default;
};

enum class RowMemory : std::uint8_t { kHost, kBuffer, kAccumulators };

enum class AccessKind : std::uint8_t {
  kRead,
  kReadOld,  // the value of a row that the instruction then combines with its result
  kWrite,
  kCombine,  // writes the old value combined with a new one
};

/// When index i is touched. docs/timing.md, "Hazards", has the cycles.
enum class Moment : std::uint8_t {
  kTransfer,     // in any cycle from the start to the retirement
  kStart,        // i cycles after the start
  kAccumulated,  // when the array's sums of index i reach the accumulators
  kResult,       // when the vector unit writes result i
};

/// Elements [begin, end) of each row.
struct LaneRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool meets(const LaneRange& other) const { return begin < other.end && other.begin < end; }
  friend bool operator==(const LaneRange&, const LaneRange&) = default;
};

/// One access of an instruction to some rows of a memory.
struct RowAccess {
  RowMemory memory = RowMemory::kBuffer;
  AccessKind kind = AccessKind::kRead;
  Moment moment = Moment::kStart;
  RowTouch touch;
  LaneRange lanes = {};  // that are written; empty for a read

  bool writes() const { return kind == AccessKind::kWrite || kind == AccessKind::kCombine; }
  friend bool operator==(const RowAccess&, const RowAccess&) = default;
};

/// Lanes that `vector` computes: 1..C in a valid program.
constexpr std::uint32_t computed_lanes(const Vector& vector, const MachineConfig& config) {
  return vector.lanes == 0 ? config.array_cols : vector.lanes;
}

/// Lanes that hold a result: the computed ones, or all C for a reduction, which fills them all.
constexpr std::uint32_t result_lanes(const Vector& vector, const MachineConfig& config) {
  return vector.reduce == VectorReduce::kNone ? computed_lanes(vector, config) : config.array_cols;
}

/// Lanes of the result that are written: all C with `fill`, otherwise those that hold a result.
constexpr std::uint32_t written_lanes(const Vector& vector, const MachineConfig& config) {
  return vector.fill ? config.array_cols : result_lanes(vector, config);
}

/// UB rows in which the first `lanes` lanes of a narrow row lie; lanes is at least 1.
constexpr std::uint64_t plane_count(const LaneWindow& window, std::uint32_t lanes,
                                    const MachineConfig& config) {
  return (std::uint64_t{window.column} + lanes - 1) / config.array_rows + 1;
}

/// UB rows that a fetch reads: the tile's rows of the first plane, then those of the second, and so
/// on. It reads one per cycle, so this is also its number of cycles.
constexpr std::uint64_t buffer_tile_reads(const BufferTile& tile, const MachineConfig& config) {
  return tile.rows * plane_count(tile.window, tile.lanes, config);
}

/// The rows that one index touches: `blocks` blocks of `group` consecutive rows, `distance` apart.
struct RowShape {
  std::uint64_t blocks = 1;
  std::uint64_t distance = 0;
  std::uint32_t group = 1;
};

/// The number of rows from the first row of a shape to its last row.
constexpr std::uint64_t shape_extent(const RowShape& shape) {
  return (shape.blocks - 1) * shape.distance + shape.group;
}

/// The shape of wide rows, or of the first `lanes` lanes of narrow ones.
RowShape row_shape(RowFormat format, const LaneWindow& window, std::uint32_t lanes,
                   const MachineConfig& config);

namespace detail {

/// Calls `function` for one block of each index of `run`. The block has `group` rows and begins
/// `offset` rows after the first row of its index.
template <class Function>
void touch_block(const RowRun& run, std::uint64_t offset, std::uint32_t group,
                 const Function& function) {
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
void touch_run(const RowRun& run, const RowShape& shape, const Function& function) {
  for (std::uint64_t block = 0; block < shape.blocks; ++block) {
    touch_block(run, block * shape.distance, shape.group, function);
  }
}

/// Calls function(RowTouch, LaneRange) for the UB rows that `vector` writes. Index 0 is its first
/// result.
template <class Function>
void for_each_result(const Vector& vector, const MachineConfig& config, const Function& function) {
  const std::uint32_t row_lanes = config.array_rows;
  if (vector.format == RowFormat::kWide) {
    const std::uint32_t group = config.result_row_rows();
    const auto wide = [&](const RowTouch& touch) { function(touch, LaneRange{0, row_lanes}); };
    return touch_block({0, vector.rows, vector.ub, group}, 0, group, wide);
  }
  const std::uint32_t lanes = written_lanes(vector, config);
  const std::uint64_t planes = plane_count(vector.window, lanes, config);
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    const std::uint64_t end = vector.window.column + std::uint64_t{lanes} - plane * row_lanes;
    const LaneRange range{plane == 0 ? vector.window.column : 0,
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(end, row_lanes))};
    const auto narrow = [&](const RowTouch& touch) { function(touch, range); };
    touch_block({0, vector.rows, vector.ub, 1}, plane * vector.window.plane, 1, narrow);
  }
}

/// Calls function(RowTouch) for the UB rows of the source, operand and bias of `vector`. A row may
/// occur more than once, and not in order of index. Padding rows are not read.
template <class Function>
void for_each_source(const Vector& vector, const MachineConfig& config, const Function& function) {
  const std::uint32_t lanes = computed_lanes(vector, config);
  if (vector.source) {
    const RowShape shape = row_shape(vector.source->format, vector.source->window, lanes, config);
    for_each_run(vector.source->rows, vector.rows,
                 [&](const RowRun& run) { touch_run(run, shape, function); });
  }
  if (vector.operand) {
    const VectorOperand& operand = *vector.operand;
    const RowShape shape = row_shape(operand.format, operand.window, lanes, config);
    touch_run({0, vector.rows, operand.row, operand.step}, shape, function);
  }
  if (vector.has_bias) {
    const RowShape shape = row_shape(RowFormat::kWide, {}, lanes, config);
    touch_run({0, vector.rows, vector.bias, 0}, shape, function);
  }
}

/// Rows first .. first+rows-1, all at index 0.
constexpr RowTouch block(std::uint64_t first, std::uint32_t rows) {
  return {first, rows, 0, rows, 1, 1};
}

constexpr RowAccess buffer_write(const Load& load, const MachineConfig& config) {
  return {RowMemory::kBuffer,
          AccessKind::kWrite,
          Moment::kTransfer,
          block(load.ub, load.rows),
          {0, config.array_rows}};
}

template <class Function>
void list_accesses(const Load& load, const MachineConfig& config, Function& function) {
  using enum RowMemory;
  const auto read = [&](std::uint64_t first, std::uint64_t rows) {
    function(RowAccess{kHost, AccessKind::kRead, Moment::kTransfer,
                       block(first, static_cast<std::uint32_t>(rows))});
  };
  if (!load.patches) {
    read(load.host, load.rows);
  } else {
    for_each_patch_line(load, [&](std::uint64_t first, std::uint64_t last) {
      const std::uint64_t row = first / config.array_rows;
      read(load.host + row, last / config.array_rows - row + 1);
    });
  }
  function(buffer_write(load, config));
}

template <class Function>
void list_accesses(const Fetch& fetch, const MachineConfig& config, Function& function) {
  if (!fetch.buffer) return;
  const BufferTile& tile = *fetch.buffer;
  const std::uint64_t planes = plane_count(tile.window, tile.lanes, config);
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    const auto first_index = static_cast<std::uint32_t>(plane * tile.rows);
    const RowTouch touch{tile.row + plane * tile.window.plane, tile.rows, first_index, 1, 1, 1};
    function(RowAccess{RowMemory::kBuffer, AccessKind::kRead, Moment::kStart, touch});
  }
}

template <class Function>
void list_accesses(const Matmul& matmul, const MachineConfig& config, Function& function) {
  const auto read = [&](const RowTouch& touch) {
    function(RowAccess{RowMemory::kBuffer, AccessKind::kRead, Moment::kStart, touch});
  };
  for_each_run(matmul.ub, matmul.rows,
               [&](const RowRun& run) { touch_run(run, RowShape{}, read); });
  function(RowAccess{RowMemory::kAccumulators,
                     matmul.accumulate ? AccessKind::kCombine : AccessKind::kWrite,
                     Moment::kAccumulated,
                     {matmul.acc, matmul.rows},
                     {0, config.array_cols}});
}

template <class Function>
void list_accesses(const Vector& vector, const MachineConfig& config, Function& function) {
  using enum AccessKind;
  constexpr RowMemory kBuffer = RowMemory::kBuffer;
  if (!vector.source) {
    function(RowAccess{RowMemory::kAccumulators, kRead, Moment::kStart, {vector.acc, vector.rows}});
  }
  const auto read = [&](const RowTouch& touch) {
    function(RowAccess{kBuffer, kRead, Moment::kStart, touch});
  };
  for_each_source(vector, config, read);
  const bool combines = vector.mode != VectorMode::kOverwrite;
  if (combines) {
    for_each_result(vector, config, [&](const RowTouch& touch, const LaneRange&) {
      function(RowAccess{kBuffer, kReadOld, Moment::kStart, touch});
    });
  }
  for_each_result(vector, config, [&](const RowTouch& touch, const LaneRange& lanes) {
    function(RowAccess{kBuffer, combines ? kCombine : kWrite, Moment::kResult, touch, lanes});
  });
}

template <class Function>
void list_accesses(const Store& store, const MachineConfig& config, Function& function) {
  using enum RowMemory;
  function(RowAccess{kBuffer, AccessKind::kRead, Moment::kTransfer, block(store.ub, store.rows)});
  function(RowAccess{kHost,
                     AccessKind::kWrite,
                     Moment::kTransfer,
                     block(store.host, store.rows),
                     {0, config.array_rows}});
}

}  // namespace detail

/// Calls function(const RowAccess&) for every access of the operation: the reads first, and the old
/// values of rows that it combines with its results last of them, then the writes. Within one kind,
/// accesses need not be in order of index, and a row may be read more than once.
template <class Function>
void for_each_access(const Operation& operation, const MachineConfig& config, Function&& function) {
  std::visit([&](const auto& each) { detail::list_accesses(each, config, function); }, operation);
}

/// The same without the lines of images that a load of patches reads: in a program that nothing
/// writes to its images, they order nothing, and there may be hundreds.
template <class Function>
void for_each_access_but_images(const Operation& operation, const MachineConfig& config,
                                Function&& function) {
  const auto* load = std::get_if<Load>(&operation);
  if (load == nullptr || !load->patches) return for_each_access(operation, config, function);
  function(detail::buffer_write(*load, config));
}

}  // namespace weft
