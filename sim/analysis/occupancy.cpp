#include "sim/analysis/occupancy.h"

#include <utility>

#include "sim/analysis/hazards/access.h"
#include "sim/analysis/row_lives.h"
#include "sim/analysis/summary.h"
#include "sim/isa/row_access.h"
#include "sim/timing/array_timing.h"

namespace weft {
namespace {

/// Records the accesses to the rows of one memory.
class MemoryRows {
 public:
  MemoryRows(const MachineConfig& config, RowMemory memory) : config_(config), memory_(memory) {}

  void add(const Operation& operation, const InstructionTiming& timing) {
    for_each_access(operation, config_, [&](const RowAccess& access) {
      if (access.memory != memory_) return;
      if (access.moment == Moment::kTransfer) return add_transfer(access, timing);
      add_paced(access, timing.started + delay_of(access.moment, config_));
    });
  }

  Staircase finish() && { return std::move(rows_).finish(); }

 private:
  void add_transfer(const RowAccess& access, const InstructionTiming& timing) {
    const RowRange range{access.touch.row, access.touch.end()};
    if (!access.writes()) return rows_.read(range, {timing.retired});
    rows_.write(range, {timing.started}, {timing.retired}, access.lanes, false);
  }

  /// Index 0 is touched in cycle `start`.
  void add_paced(const RowAccess& access, Cycle start) {
    const RowTouch& touch = access.touch;
    const Cycle first = start + touch.first_index;
    if (touch.step > 1) return rows_.read_each(touch.row, touch.count, touch.step, first);
    const RowPace last{first + touch.length - 1, touch.row, touch.group};
    if (!access.writes()) return rows_.read({touch.row, touch.end()}, last);
    const bool combines = access.kind == AccessKind::kCombine;
    rows_.write({touch.row, touch.end()}, last, last, access.lanes, combines);
  }

  const MachineConfig& config_;
  const RowMemory memory_;
  RowLives rows_;
};

Staircase rows_in_use(const MachineConfig& config, const Program& program, const Timeline& timeline,
                      RowMemory memory) {
  MemoryRows rows(config, memory);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    rows.add(program.code[i].operation, timeline.instructions[i]);
  }
  return std::move(rows).finish();
}

}  // namespace

Staircase buffer_occupancy(const MachineConfig& config, const Program& program,
                           const Timeline& timeline) {
  return rows_in_use(config, program, timeline, RowMemory::kBuffer);
}

Staircase accumulator_occupancy(const MachineConfig& config, const Program& program,
                                const Timeline& timeline) {
  return rows_in_use(config, program, timeline, RowMemory::kAccumulators);
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
