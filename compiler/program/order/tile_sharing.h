// Puts the folds of a program into an order in which a tile serves several of them each time that
// the array takes it. In a recurrent network, most tiles can serve two steps in turn: column j of a
// step needs column i of the step before, and not those on the right of it.
//
//   tiles of U        step t, from left to right      step t + 1, from right to left
//     1 2 3             1: t                            9: t + 1
//     4 5 6             2: t and t + 1                  8: t + 1 and t + 2
//     7 8 9             ...                             ...
//
// Two steps then take 12 tiles and not 18. Sums get their products in another order; the first of
// them overwrites the accumulators.
//
// The operations are handed on in an order that the program could have. What the units do when is
// for the list scheduler to decide.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "compiler/program/order/list_scheduler.h"
#include "compiler/program/order/operation_graph.h"
#include "compiler/program/order/unit_clock.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/unit.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

class TileSharing {
 public:
  using Entry = ListScheduler::Entry;

  /// Hands the operations on to `next`. About `block` of them are ordered together. All references
  /// must outlive the object.
  TileSharing(const MachineConfig& config, ListScheduler& next,
              std::size_t block = ListScheduler::kBlock);

  void add(Entry entry);
  /// As ListScheduler::after_writes().
  void after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                    std::uint64_t plane_rows, std::function<void()> note);
  /// Hands on what is left, here and in the list scheduler.
  void finish();

 private:
  using Number = OperationGraph::Number;
  static constexpr Number kNone = std::numeric_limits<Number>::max();

  struct Note {
    std::uint64_t base = 0;
    std::uint64_t rows = 0;
    std::uint64_t planes = 0;
    std::uint64_t plane_rows = 0;
    std::function<void()> call;
  };
  struct Node {
    std::optional<Entry> entry;
    Note note;                // if there is no entry
    std::uint32_t waits = 0;  // nodes before it that are not handed on yet
    Cycle ready = 0;
    Number tile = kNone;     // of a matmul or a fetch
    Number fetch = kNone;    // of a matmul that takes a tile
    Number goal = kNone;     // of a matmul
    std::uint32_t left = 0;  // matmuls with this one as their goal that are not handed on yet
    bool begun = false;      // of the first matmul of a sum: whether one has been
  };
  /// The same rows or the same tile of weight memory, unchanged.
  struct Tile {
    std::vector<Number> fetches;
    std::vector<Number> matmuls;  // not handed on yet, in the order in which they were added
    std::size_t able = 0;         // of them, those that could start in time
  };
  struct Choice {
    Cycle start = 0;
    Number matmul = kNone;
    // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
    friend auto operator<=>(const Choice&, const Choice&) = default;
  };

  void order_block(std::size_t end);
  void hand_on_as_added(std::size_t end);
  void forget(std::size_t end);
  static std::optional<Unit> unit_of(const Node& node);
  bool find_tiles();
  Number tile_of(Number fetch, std::vector<Number>& candidates);
  Number fetch_of(Number tile) const { return tiles_[tile].fetches.front(); }
  void find_goals();
  bool tiles_stay() const;
  void order();
  void hand_on_others();
  bool hand_on_head(Unit unit);
  void hand_on(Number node);
  void hand_on_matmul(Number node);
  Cycle fetch(Number matmul);
  Cycle start_of(Number matmul) const;
  Number choose();
  Number first_by_rank(const std::vector<Choice>& choices, Cycle first);
  bool is_shared_later(Number matmul);
  bool depends(Number later, Number earlier);
  void finish_node(Number node, Cycle ready);
  void release(Number node);

  const MachineConfig& config_;
  ListScheduler& next_;
  const std::size_t block_;
  const Cycle push_;  // of a tile
  UnitClock clock_;

  std::deque<Node> nodes_;       // added and not handed on
  std::size_t fetches_ = 0;      // among them
  std::size_t takers_ = 0;       // matmuls that take a tile
  std::size_t last_fetch_ = 0;   // its place among them
  bool matmul_follows_ = false;  // after the last fetch

  // Of the block that is put into order.
  std::optional<OperationGraph> graph_;
  Successors successors_;
  std::vector<Tile> tiles_;
  std::vector<Number> candidates_;  // matmuls that wait for nothing
  std::priority_queue<std::pair<Cycle, Number>, std::vector<std::pair<Cycle, Number>>,
                      std::greater<>>
      others_;  // of the vector unit, and notes
  PerUnit<std::deque<Number>> queues_;
  Number tile_ = kNone;      // in the array
  std::deque<Cycle> slots_;  // when the tiles in the FIFO leave it
  std::map<std::pair<Number, Number>, bool> depends_;
  std::vector<Number> seen_;
};

}  // namespace weft::compiler
