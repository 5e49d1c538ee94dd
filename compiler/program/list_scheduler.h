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
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/program/network_program.h"
#include "compiler/program/operation_graph.h"
#include "compiler/program/unit_clock.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/unit.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

class ListScheduler {
 public:
  /// Operations that are ordered together; those of the next block come after them.
  static constexpr std::size_t kBlock = std::size_t{1} << 13U;

  /// An operation with what the program knows of it.
  struct Entry {
    Operation operation;
    std::uint32_t layer = 0;
    TileNumbers tile = {};
  };
  using Write = std::function<void(const Entry&)>;

  /// Hands the operations to `write` in their new order. `config` must outlive the scheduler.
  ListScheduler(const MachineConfig& config, Write write, std::size_t block = kBlock);

  void add(Entry entry);
  /// Calls `note` when all operations so far that write these rows have been handed on, and before
  /// one that overwrites them (OperationGraph::add_reader).
  void after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                    std::uint64_t plane_rows, std::function<void()> note);
  /// Hands on what is left.
  void finish();

 private:
  using Number = OperationGraph::Number;

  struct Node {
    std::optional<Unit> unit;  // nullopt: a note
    std::size_t entry = 0;     // or its number among the notes
    std::uint32_t waits = 0;   // nodes before it that are not handed on yet
    Number due = 0;            // the first operation of another unit that comes after it
    Cycle ready = 0;
  };
  /// The first of some nodes, by what decides between them.
  template <class Key>
  using Heap = std::priority_queue<Key, std::vector<Key>, std::greater<>>;
  struct Start {
    Cycle cycle = 0;
    Number node = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
    friend auto operator<=>(const Start&, const Start&) = default;
  };

  void schedule_block();
  void find_due();
  std::optional<Start> next_of(Unit unit);
  std::optional<Start> next_vector();
  std::optional<Start> next_in_order(Unit unit) const;
  void hand_on(const Start& start);
  void release_successors(Number node, Cycle ready);
  void release(Number node);

  const Write write_;
  const std::size_t block_;
  UnitClock clock_;  // goes on from block to block

  OperationGraph graph_;
  std::vector<Entry> entries_;
  std::vector<std::function<void()>> notes_;
  std::vector<Node> nodes_;
  Successors successors_;                // of the block that is put into order
  PerUnit<std::vector<Number>> queues_;  // in the order in which they were added
  PerUnit<std::size_t> heads_{};
  // Operations of the vector unit whose predecessors have been handed on: those that could start
  // when it is free, by `due`, and the others by the cycle in which they can start, then by `due`.
  Heap<std::pair<Number, Number>> startable_;
  Heap<std::tuple<Cycle, Number, Number>> waiting_;
};

}  // namespace weft::compiler
