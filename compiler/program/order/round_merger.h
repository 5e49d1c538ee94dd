// Merges the rounds of a batch that are under way at once (ImageGroups::rounds_at_once). While one
// round waits for the vector unit or for a transfer, the array works for another.
//
//   added     products 0, softmax 0, products 0, ... , products 1, softmax 1, products 1, ...
//   merged    products 0, products 1, products 0, products 1, ...     array
//                         softmax 0,  softmax 1,  ...                 vector unit
//
// Rounds under way use other rows of the machine's memories, so nothing in one waits for another.
// Each unit takes the operation that can start first, and of several that of the oldest round. The
// array keeps the order of each round, so it only chooses whose fold comes next.
//
// The operations are handed on in an order that the program could have. What the units do when is
// for the list scheduler to decide.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/program/order/list_scheduler.h"
#include "compiler/program/order/operation_block.h"
#include "compiler/program/order/unit_clock.h"
#include "sim/config/machine_config.h"
#include "sim/isa/unit.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

class RoundMerger {
 public:
  using Entry = OperationEntry;

  /// Hands the operations on to `next`. At most `at_once` rounds are under way. All references must
  /// outlive the object.
  /// `staging`: as OperationGraph's.
  RoundMerger(const MachineConfig& config, ListScheduler& next, std::size_t at_once,
              std::uint64_t staging = OperationGraph::kOnePart);

  /// What is added from here on belongs to the next round.
  void begin_round();
  void add(Entry entry) { rounds_.back()->add(std::move(entry)); }
  /// As OperationBlock::after_writes().
  void after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                    std::uint64_t plane_rows, std::function<void()> note);
  /// Hands on what is left, here and in the list scheduler.
  void finish();

 private:
  using Number = OperationBlock::Number;

  struct Start {
    Cycle cycle = 0;
    bool is_store = false;  // a load that wants the channel in the same cycle comes first
    std::size_t round = 0;  // its place among those under way, the oldest first
    Number node = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
    friend auto operator<=>(const Start&, const Start&) = default;
  };

  void append_round();
  void hand_on_oldest();
  std::optional<Start> next();
  std::optional<Start> next_of(std::size_t round, Unit unit);
  const OperationBlock* bound_to() const;
  std::optional<Cycle> fold_start(const OperationBlock& round) const;
  Cycle fetch_start(const OperationBlock& round, Number fetch) const;
  void fetch_ahead();
  void fetch(OperationBlock& round);
  void hand_on(const Start& start);

  const MachineConfig& config_;
  ListScheduler& next_;
  const std::size_t at_once_;
  const std::uint64_t staging_;
  const Cycle push_;  // of a tile
  UnitClock clock_;
  std::deque<std::unique_ptr<OperationBlock>> rounds_;  // under way, and the one being added
  std::unique_ptr<OperationBlock> spare_;               // handed on, to be filled again
  const OperationBlock* tile_of_ = nullptr;             // the round whose tile is in the array
  // Tiles fetched before their folds were chosen: the round, and how many.
  const OperationBlock* fetched_for_ = nullptr;
  std::size_t fetched_ = 0;
  std::deque<Cycle> slots_;  // when tiles that the array has taken leave the FIFO
};

}  // namespace weft::compiler
