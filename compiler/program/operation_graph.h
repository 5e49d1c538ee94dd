// Which of a block of operations must come before which, whatever order is chosen for them.
//
//   written by a --> read by b, c --> overwritten by d         edges: a->b, a->c, b->d, c->d
//
// The edges are at least those of the hazard rule (compiler/program/dependences.h), for any order
// of the vector unit's operations. There may be more: rows that one operation reads count as one
// block if only a few rows lie between them. The other units keep the order in which their
// operations were added, so an edge from one of them stands for all that came before it there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

  /// `config` must outlive the graph.
  explicit OperationGraph(const MachineConfig& config) : config_(config) {}

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
  struct ReadRows {
    RowMemory memory = RowMemory::kBuffer;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  void add_read(const RowAccess& access);
  void read(const ReadRows& rows, std::optional<Unit> in_order);
  void write(RowMap<RowUses>& rows, std::uint64_t begin, std::uint64_t end);
  void need(Number node);
  void settle();

  const MachineConfig& config_;
  std::array<RowMap<RowUses>, 3> memories_;  // in the order of RowMemory
  std::vector<Number> fetches_;              // of this block
  std::vector<Number> takers_;               // of tiles, in this block
  std::uint64_t earlier_fetches_ = 0;        // of earlier blocks
  std::uint64_t earlier_takers_ = 0;
  std::vector<Number> before_;  // of node 0, node 1, ...
  std::vector<std::size_t> ends_;
  // Of the node being added.
  std::vector<Number> needed_;
  std::vector<ReadRows> reads_;
};

}  // namespace weft::compiler
