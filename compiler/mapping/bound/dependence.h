// On what the elements of a node's result depend for certain, whatever the schedule
// (docs/bounds.md, section 5).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::compiler {

/// Positions begin, ..., end - 1 of an axis.
struct AxisRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  friend auto operator<=>(const AxisRange&, const AxisRange&) = default;
};

/// Elements of a value: those in a range of positions of each axis. nullopt: one position, which
/// may be any.
using Elements = std::vector<std::optional<AxisRange>>;

/// One element, which may be any.
Elements any_element(const graph::Graph& graph, graph::ValueId value);

struct Dependence {
  struct Operand {
    graph::ValueId value = graph::kNoValue;
    Elements elements;
  };
  std::vector<Operand> operands;
  /// Empty: the elements depend on all operands. Otherwise each depends on one of them; a share of
  /// the elements on each.
  std::vector<double> shares;
  /// Each position that is not known stands for all of its axis equally often.
  bool evenly = true;
};

/// On what `elements` of the node's output number `output` depend. What is not certain is left out:
/// operators without a rule depend on nothing.
Dependence dependence(const graph::Graph& graph, const graph::Node& node, std::size_t output,
                      const Elements& elements);

}  // namespace weft::compiler
