// Some operations of a program, and which of them could be handed on next.
//
// All units but the vector unit keep the order in which their operations are added. Of the vector
// unit's operations that could start now, the one comes first for which another unit waits first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/program/network_program.h"
#include "compiler/program/order/operation_graph.h"
#include "compiler/program/order/unit_clock.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/unit.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

/// An operation with what the program knows of it.
struct OperationEntry {
  Operation operation;
  std::uint32_t layer = 0;
  TileNumbers tile = {};
};

class OperationBlock {
 public:
  using Number = OperationGraph::Number;

  /// `config` must outlive the block. `staging`: as OperationGraph's.
  OperationBlock(const MachineConfig& config, std::uint64_t staging)
      : graph_(config, OperationGraph::ArrayOrder::kKept, staging) {}

  /// Nodes so far: operations and notes.
  std::size_t size() const { return nodes_.size(); }

  void add(OperationEntry entry);
  /// Calls `note` when all operations so far that write these rows have been handed on, and before
  /// one that overwrites them (OperationGraph::add_reader).
  void after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                    std::uint64_t plane_rows, std::function<void()> note);
  /// Everything is added. Calls the notes that wait for nothing.
  void begin();

  // After begin():
  /// Operations that are not handed on yet.
  std::size_t left() const { return left_; }
  /// The next operation of a unit other than the vector unit, whether or not it could start.
  std::optional<Number> head(Unit unit) const;
  /// The next one of the vector unit at `clock`; nullopt if none could start.
  std::optional<Number> next_vector(const UnitClock& clock);
  const OperationEntry& entry(Number node) const { return entries_[nodes_[node].entry]; }
  /// How many operations before it are not handed on yet.
  std::uint32_t waits(Number node) const { return nodes_[node].waits; }
  /// The cycle from which on it could start, as far as those handed on decide it.
  Cycle ready(Number node) const { return nodes_[node].ready; }
  /// `node`, a head or next_vector(), is handed on. What waits for it can start from `ready` on.
  void hand_on(Number node, Cycle ready);

  /// Forgets everything, to be filled again.
  void clear();

 private:
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

  void find_due();
  void release_successors(Number node, Cycle ready);
  void release(Number node);

  OperationGraph graph_;
  std::vector<OperationEntry> entries_;
  std::vector<std::function<void()>> notes_;
  std::vector<Node> nodes_;
  Successors successors_;
  PerUnit<std::vector<Number>> queues_;  // in the order in which they were added
  PerUnit<std::size_t> heads_{};
  std::size_t left_ = 0;
  // Operations of the vector unit whose predecessors have been handed on: those that could start
  // when it is free, by `due`, and the others by the cycle in which they can start, then by `due`.
  Heap<std::pair<Number, Number>> startable_;
  Heap<std::tuple<Cycle, Number, Number>> waiting_;
};

}  // namespace weft::compiler
