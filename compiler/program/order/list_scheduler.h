// Puts operations into the order in which they can start (list scheduling).
//
//   added          drain a, drain b, gelu a, gelu b | matmuls of a, b
//   scheduled      drain a, gelu a, matmul a, drain b, gelu b, matmul b
//
// The vector unit takes, of the operations that it could start now, the one for which another unit
// waits first. The other units keep the order of their operations: the array's order decides which
// tiles are fetched, and transfers come in the order of the array. The program has the operations
// in the order of their starts, so the sequencer is not held up by a full queue while another unit
// has nothing to do.
//
// Starts are those of UnitClock. They decide the order and nothing else: the exact clock says how
// long the program takes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "compiler/program/order/operation_block.h"
#include "compiler/program/order/unit_clock.h"
#include "sim/config/machine_config.h"
#include "sim/isa/unit.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

class ListScheduler {
 public:
  /// Operations that are ordered together; those of the next block come after them.
  static constexpr std::size_t kBlock = std::size_t{1} << 13U;

  using Entry = OperationEntry;
  using Write = std::function<void(const Entry&)>;

  /// Hands the operations to `write` in their new order. `config` must outlive the scheduler.
  /// `staging`: as OperationGraph's.
  ListScheduler(const MachineConfig& config, Write write, std::size_t block = kBlock,
                std::uint64_t staging = OperationGraph::kOnePart);

  void add(Entry entry);
  /// As OperationBlock::after_writes().
  void after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                    std::uint64_t plane_rows, std::function<void()> note) {
    operations_.after_writes(base, rows, planes, plane_rows, std::move(note));
  }
  /// Hands on what is left.
  void finish();

 private:
  struct Start {
    Cycle cycle = 0;
    OperationBlock::Number node = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
    friend auto operator<=>(const Start&, const Start&) = default;
  };

  std::optional<Start> next_of(Unit unit);
  void hand_on(const Start& start);

  const Write write_;
  const std::size_t block_;
  UnitClock clock_;  // goes on from block to block
  OperationBlock operations_;
};

}  // namespace weft::compiler
