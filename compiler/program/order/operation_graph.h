// Which of a block of operations must come before which, whatever order is chosen for them.
//
//   written by a --> read by b, c --> overwritten by d         edges: a->b, a->c, b->d, c->d
//
// The edges are at least those of the hazard rule (compiler/program/dependences.h), for any order
// of the vector unit's operations. There may be more: rows that one operation reads count as one
// block if only a few rows lie between them. Loads and stores keep the order in which they were
// added, so an edge from one of them stands for all that came before it there. The array and its
// fetches do so too, unless the array's order is free:
//
//   matmul a -> rows 0..7, matmul b adds to them, matmul c adds to them, drained by d
//
//   in order      a->b, b->c, c->d
//   free          a->d, b->d, c->d: whichever comes first overwrites, the others add
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "compiler/program/row_map.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/row_access.h"
#include "sim/isa/unit.h"

namespace weft::compiler {

class OperationGraph {
 public:
  /// Of operations in the block.
  using Number = std::uint32_t;

  /// Whether matmuls and fetches keep the order in which they are added. If not, the graph has no
  /// edges between tiles and matmuls, and those of one sum have none among them.
  enum class ArrayOrder : std::uint8_t { kKept, kFree };

  /// For rows of the unified buffer between which no row begins another part.
  static constexpr std::uint64_t kOnePart = std::numeric_limits<std::uint64_t>::max();

  /// `config` must outlive the graph. With `staging` another part of the unified buffer begins,
  /// whose distance from the rows before must not decide anything.
  explicit OperationGraph(const MachineConfig& config, ArrayOrder order = ArrayOrder::kKept,
                          std::uint64_t staging = kOnePart)
      : config_(config), array_order_(order), staging_(staging) {}

  /// Adds the next operation.
  void add(const Operation& operation);
  /// Adds a node that comes after the writes so far to these rows of the unified buffer, and before
  /// the next ones. `planes` blocks of `rows` rows begin `plane_rows` apart, the first at `base`.
  void add_reader(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                  std::uint64_t plane_rows);

  /// Nodes so far.
  std::size_t size() const { return ends_.size(); }
  /// The nodes that come before node `node`, each once, ascending.
  std::span<const Number> before(Number node) const {
    const std::size_t begin = node == 0 ? 0 : ends_[node - 1];
    return std::span(before_).subspan(begin, ends_[node] - begin);
  }

  /// The first matmul of the sum to which matmul `node` belongs, if the order is free.
  Number sum_of(Number node) const { return sums_[node].first; }

  /// Begins the next block. What belongs together across blocks (a tile's fetch and its matmul) is
  /// still counted.
  void clear();

 private:
  static constexpr Number kNone = ~Number{0};

  /// Who touched the rows of an interval: the last writer, and since then the last reader of each
  /// unit that keeps its order, and all others.
  struct RowUses {
    RowUses() { last.of.fill(kNone); }
    Number writer = kNone;
    PerUnit<Number> last;
    std::vector<Number> readers;
  };
  /// Matmuls that write and add to the same accumulator rows, before another unit reads them.
  struct Sum {
    Number first = kNone;
    std::uint32_t rows = 0;
    std::vector<Number> later;
    std::vector<Number> before;  // what all of them come after
  };
  struct ReadRows {
    RowMemory memory = RowMemory::kBuffer;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  bool is_one_part(const ReadRows& a, const ReadRows& b) const;
  void add_read(const RowAccess& access);
  void read(const ReadRows& rows, std::optional<Unit> in_order);
  void write(RowMemory memory, std::uint64_t begin, std::uint64_t end);
  void add_to_sum(const Matmul& matmul);
  Number open_sum(const Matmul& matmul);
  bool keeps_order(Unit unit) const;
  RowMap<RowUses>& rows_of(RowMemory memory) { return memories_[static_cast<std::size_t>(memory)]; }
  void need_writer(RowMemory memory, Number writer);
  void need(Number node);
  void settle();

  const MachineConfig& config_;
  const ArrayOrder array_order_;
  const std::uint64_t staging_;
  std::array<RowMap<RowUses>, 3> memories_;  // in the order of RowMemory
  std::vector<Number> fetches_;              // of this block
  std::vector<Number> takers_;               // of tiles, in this block
  std::uint64_t earlier_fetches_ = 0;        // of earlier blocks
  std::uint64_t earlier_takers_ = 0;
  std::vector<Number> before_;  // of node 0, node 1, ...
  std::vector<std::size_t> ends_;
  std::vector<Sum>
      sums_;  // of each node, if the order is free; only those of first matmuls are whole
  // Of the node being added.
  std::vector<Number> needed_;
  std::vector<ReadRows> reads_;
};

/// The nodes that come after each node of a graph.
class Successors {
 public:
  /// Forgets the graph before.
  void find(const OperationGraph& graph);

  std::span<const OperationGraph::Number> of(OperationGraph::Number node) const {
    return std::span(nodes_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<OperationGraph::Number> nodes_;  // after node 0, node 1, ...
  std::vector<std::size_t> begins_;
};

}  // namespace weft::compiler
