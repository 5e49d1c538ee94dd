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
//
// No instruction writes an image, so the lines that a load of patches reads need nothing.
//
// The tracker keeps the knowledge of the latest instructions, and of older ones that last wrote or
// read a row. It forgets who touched a host row when no later instruction can ask for it, so what
// it holds depends on the machine's buffers and not on how much of host memory a program passes.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/sliding_window.h"
#include "compiler/program/row_map.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/row_access.h"
#include "sim/isa/run_state.h"

namespace weft {

/// Whether two instructions of the program may collide in host memory. `kApart`: no host row is
/// written and touched again, so host memory needs no dependence.
enum class HostRows : std::uint8_t { kReused, kApart };

class DependenceTracker {
 public:
  static constexpr std::size_t kForgetEvery = 4096;

  /// The tracker looks for what it may forget each time that a unit has got `forget_every` more
  /// instructions, or later; the counts do not depend on it.
  explicit DependenceTracker(const MachineConfig& config, HostRows host_rows = HostRows::kReused,
                             std::size_t forget_every = kForgetEvery);

  /// The counts for the program's next instruction. None is implied by the others or by the order
  /// of its queue. Throws InputError if the instruction takes a tile that was not fetched, or
  /// fetches into a slot whose tile no earlier matmul took.
  After add(const Operation& operation);

  /// Shows the state. A count is settled for a unit whose last instruction knew it.
  void visit(StateVisitor& visitor);

 private:
  using RetiredCounts = PerUnit<std::uint32_t>;  // retired instructions

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
    PerUnit<std::uint32_t> reads;
    std::vector<StridedRead> strided;
  };
  using RowStates = RowMap<RowState>;

  void take_slot();
  void take_tile();
  void touch(const RowAccess& access);
  void read(RowStates& memory, std::uint64_t begin, std::uint64_t end, const RowClass& rows);
  void read(RowState& state, const RowClass& rows);
  void overwrite(std::uint64_t begin, std::uint64_t end, const RowState& state);
  void write(RowStates& rows, std::uint64_t begin, std::uint64_t end);
  void need(Unit unit, std::uint32_t count);

  /// What the instructions of a unit knew when they started.
  struct Starts {
    SlidingWindow<RetiredCounts> latest;  // entry i belongs to count i + 1
    std::vector<std::pair<std::uint32_t, RetiredCounts>>
        older;                  // by count, those that are still needed
    std::size_t forget_at = 0;  // entries of `latest`
  };
  const RetiredCounts& start_of(Unit unit, std::uint32_t count) const;

  using Counts = PerUnit<std::vector<std::uint32_t>>;
  static void add_counts(const RowState& state, Counts& counts);
  Counts needed_counts() const;
  const RetiredCounts& last_start(Unit unit) const;
  bool may_be_asked(Unit asker, const RowState& state) const;
  void forget_host_rows();
  void forget();

  class CountVisitor;

  bool implied_by_another(Unit unit, const After& after) const;
  After settle();

  const MachineConfig config_;
  const HostRows host_rows_;
  const std::size_t forget_every_;
  std::array<RowStates, 3> memories_;    // in the order of RowMemory
  SlidingWindow<std::uint32_t> takers_;  // for each tile taken, the matmul's count
  PerUnit<Starts> starts_;

  // The instruction being added.
  Unit unit_ = Unit::kLoad;
  std::uint32_t count_ = 0;
  RetiredCounts needed_{};
  RetiredCounts known_{};  // at its start, before it waits for anything
};

}  // namespace weft
