// What the operators of a network ask of the vector unit at least (docs/bounds.md, section 3).
#pragma once

#include <cstdint>
#include <map>

#include "compiler/graph/graph.h"

namespace weft::compiler {

/// What is left of the pass that wrote a value: a later node may be part of the same pass.
enum class PassLeft : std::uint8_t {
  kNone,          // no pass of the machine wrote it
  kFunctionFree,  // its function is not used
  kFunctionUsed,
};

/// Counts the fewest lanes that the vector unit must write, node by node, in the order of the
/// graph.
class VectorDemand {
 public:
  /// `graph` must outlive this.
  explicit VectorDemand(const graph::Graph& graph) : graph_(graph) {}

  /// Lanes of the next node that the machine computes, except those that take a contraction's sums
  /// from the accumulators.
  double lanes(const graph::Node& node);

 private:
  struct Written {
    double lanes = 0;
    PassLeft pass = PassLeft::kFunctionFree;
  };

  PassLeft pass_of(graph::ValueId value) const;
  PassLeft pass_of_first(const graph::Node& node) const;
  PassLeft pass_of_operands(const graph::Node& node, double all) const;
  Written written(const graph::Node& node, double all) const;

  const graph::Graph& graph_;
  std::map<graph::ValueId, PassLeft> passes_;
};

}  // namespace weft::compiler
