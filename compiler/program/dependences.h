// The `after` counts of a program's instructions: exactly those that the hazard rule needs.
//
// The rule: two instructions that touch the same row of the unified buffer, the accumulators or
// host memory, at least one of them writing, must do so in program order. A fetch may start only
// when the matmul that took the previous tile from its FIFO slot has retired.
//
// A count is left out if the instruction knows it anyway. Its knowledge at its start is a vector
// clock, the number of retired instructions of each unit:
//
//   start(q) >= start(the instruction before q in its unit's queue)       queues start in order
//   start(q) >= retire(p)  for each p that q waits for
//   retire(p) = start(p) joined with p and all before it in its unit      units retire in order
//
//   start(matmul) >= retire(the fetch of the tile it takes)   the one interlock of the hardware
//
// The last line tells a matmul something new only if the tile came from the unified buffer, since
// that fetch had to wait. A fetch from weight memory waits only for earlier matmuls.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/program/row_map.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/row_access.h"

namespace weft {

class DependenceTracker {
 public:
  explicit DependenceTracker(const MachineConfig& config);

  /// The counts for the program's next instruction. None is implied by the others or by the order
  /// of its queue. Throws InputError if the instruction takes a tile that was not fetched, or
  /// fetches into a slot whose tile no earlier matmul took.
  After add(const Operation& operation);

 private:
  using Clock = std::array<std::uint32_t, kUnitCount>;  // retired instructions, by unit

  /// A read of some rows of an interval.
  struct StridedRead {
    Unit unit = Unit::kLoad;
    std::uint32_t read = 0;
    RowClass rows;
  };
  /// Who touched the rows of an interval: the last writer, and since then the last reader of each
  /// unit, of all rows (`reads`) or of some (`strided`). Counts are one-based positions in the
  /// unit's queue; 0 means none.
  struct RowState {
    Unit writer = Unit::kLoad;
    std::uint32_t write = 0;
    std::array<std::uint32_t, kUnitCount> reads{};
    std::vector<StridedRead> strided;
  };
  using Rows = RowMap<RowState>;

  void touch(const Load& load);
  void touch(const Fetch& fetch);
  void touch(const Matmul& matmul);
  void touch(const Vector& vector);
  void touch(const Store& store);
  void take_slot();
  void read(const RowTouch& touch);
  void read(Rows& memory, std::uint64_t begin, std::uint64_t end, const RowClass& rows = {});
  void read(RowState& state, const RowClass& rows);
  void overwrite(std::uint64_t begin, std::uint64_t end, const RowState& state);
  void write(Rows& rows, std::uint64_t begin, std::uint64_t end);
  void need(Unit unit, std::uint32_t count);

  const Clock& start_of(Unit unit, std::uint32_t count) const;
  bool implied_by_another(std::size_t unit, const After& after) const;
  After settle();

  const MachineConfig config_;
  Rows buffer_;
  Rows accumulators_;
  Rows host_;
  std::vector<std::uint32_t> takers_;  // for each tile taken, the matmul's count
  std::array<std::vector<Clock>, kUnitCount> starts_;

  // The instruction being added.
  Unit unit_ = Unit::kLoad;
  std::uint32_t count_ = 0;
  Clock needed_{};
  Clock known_{};  // at its start, before it waits for anything
};

}  // namespace weft
