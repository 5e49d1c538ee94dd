#include "sim/analysis/occupancy.h"

#include <algorithm>
#include <utility>

#include "sim/analysis/row_lives.h"
#include "sim/analysis/summary.h"
#include "sim/isa/row_access.h"
#include "sim/timing/array_timing.h"

namespace weft {
namespace {

/// Records the reads of an instruction that started in cycle `start`.
struct RowReader {
  RowLives& rows;
  Cycle start;

  void operator()(const RowTouch& touch) const {
    const Cycle first = start + touch.first_index;
    if (touch.step == 1) {
      return rows.read({touch.row, touch.end()},
                       {first + touch.length - 1, touch.row, touch.group});
    }
    rows.read_each(touch.row, touch.count, touch.step, first);
  }
};

class BufferRows {
 public:
  explicit BufferRows(const MachineConfig& config) : config_(config) {}

  void add(const Load& load, const InstructionTiming& timing) {
    rows_.write({load.ub, std::uint64_t{load.ub} + load.rows}, {timing.started}, {timing.retired},
                whole_row(), false);
  }

  void add(const Fetch& fetch, const InstructionTiming& timing) {
    if (fetch.buffer) for_each_read(*fetch.buffer, config_, reader(timing));
  }

  void add(const Matmul& matmul, const InstructionTiming& timing) {
    for_each_read(matmul, reader(timing));
  }

  void add(const Vector& vector, const InstructionTiming& timing) {
    for_each_read(vector, config_, reader(timing));
    if (vector.format == RowFormat::kWide) {
      write_wide(vector, timing);
    } else {
      write_planes(vector, timing);
    }
  }

  void add(const Store& store, const InstructionTiming& timing) {
    rows_.read({store.ub, std::uint64_t{store.ub} + store.rows}, {timing.retired});
  }

  Staircase finish() && { return std::move(rows_).finish(); }

 private:
  LaneRange whole_row() const { return {0, config_.array_rows}; }

  RowReader reader(const InstructionTiming& timing) { return {rows_, timing.started}; }

  /// The cycle at whose end the first result is in the buffer.
  Cycle first_write(const InstructionTiming& timing) const {
    return vector_retire(timing.started, 1, config_);
  }

  void write(std::uint64_t row, std::uint64_t count, std::uint64_t group, LaneRange lanes,
             const Vector& vector, const InstructionTiming& timing) {
    const RowPace pace{first_write(timing), row, group};
    rows_.write({row, row + count}, pace, pace, lanes, vector.mode != VectorMode::kOverwrite);
  }

  void write_wide(const Vector& vector, const InstructionTiming& timing) {
    const std::uint64_t group = config_.result_row_rows();
    write(vector.ub, group * vector.rows, group, whole_row(), vector, timing);
  }

  void write_planes(const Vector& vector, const InstructionTiming& timing) {
    const std::uint32_t lanes = written_lanes(vector, config_);
    const std::uint64_t planes = plane_count(vector.window, lanes, config_);
    const std::uint64_t row_lanes = config_.array_rows;
    for (std::uint64_t plane = 0; plane < planes; ++plane) {
      const std::uint64_t end = vector.window.column + std::uint64_t{lanes} - plane * row_lanes;
      const LaneRange range{plane == 0 ? vector.window.column : 0,
                            static_cast<std::uint32_t>(std::min(end, row_lanes))};
      write(vector.ub + plane * vector.window.plane, vector.rows, 1, range, vector, timing);
    }
  }

  const MachineConfig& config_;
  RowLives rows_;
};

}  // namespace

Staircase buffer_occupancy(const MachineConfig& config, const Program& program,
                           const Timeline& timeline) {
  BufferRows rows(config);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    std::visit([&](const auto& operation) { rows.add(operation, timeline.instructions[i]); },
               program.code[i].operation);
  }
  return std::move(rows).finish();
}

Staircase accumulator_occupancy(const MachineConfig& config, const Program& program,
                                const Timeline& timeline) {
  const ArrayTiming array(config);
  const LaneRange lanes{0, config.array_cols};
  RowLives rows;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Cycle start = timeline.instructions[i].started;
    if (const auto* matmul = std::get_if<Matmul>(&program.code[i].operation)) {
      const RowPace pace{start + array.front_to_accumulator(), matmul->acc, 1};
      rows.write({matmul->acc, std::uint64_t{matmul->acc} + matmul->rows}, pace, pace, lanes,
                 matmul->accumulate);
    } else if (const auto* vector = std::get_if<Vector>(&program.code[i].operation)) {
      if (vector->source) continue;
      rows.read({vector->acc, std::uint64_t{vector->acc} + vector->rows}, {start, vector->acc, 1});
    }
  }
  return std::move(rows).finish();
}

Staircase fifo_occupancy(const MachineConfig& config, const Program& program,
                         const Timeline& timeline) {
  const ArrayTiming array(config);
  const Cycle total = total_cycles(timeline);
  StaircaseSum tiles;
  std::size_t tile = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].unit() != Unit::kFetch) continue;
    const bool pushed = tile < timeline.pushes.size();
    tiles.jump(timeline.instructions[i].retired, 1);
    tiles.jump(pushed ? timeline.pushes[tile] + array.push() : total, -1);
    ++tile;
  }
  return std::move(tiles).points();
}

}  // namespace weft
