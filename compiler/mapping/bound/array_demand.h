// What the contractions of a network ask of the array at least, and what the vector unit can take
// over (docs/bounds.md, sections 2 and 4).
#pragma once

#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/mapping/bound/demand.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Array cycles that vector cycles can replace.
struct Exchange {
  double array = 0;
  double vector = 0;
};

/// The demands of all contractions. A tile holds operands of one contraction, or of several that
/// share one, so the cycles of such groups add up.
class ArrayDemand {
 public:
  explicit ArrayDemand(const MachineConfig& config)
      : rows_(config.array_rows), cols_(config.array_cols) {}

  /// `shared`: the origin of the larger operand.
  void add(const ContractionDemand& demand, graph::ValueId shared);

  /// Cycles of the array, if it does all of this.
  double array() const;
  /// Cycles in which the vector unit takes the sums from the accumulators.
  double drained() const;
  /// The fewest cycles of array and vector unit together, if the latter has `vector` others.
  double least(double vector) const;

 private:
  /// In cycles.
  struct Group {
    double operands = 0;  // to enter the array
    double sums = 0;
    double drained = 0;
    double products = 0;  // of the vector unit, if it computes all of them
    bool depthwise = true;
    std::vector<Exchange> exchanges;
  };

  double latency() const;
  void add_sums(const Sums& sums, bool depthwise, Group& group) const;

  const double rows_;
  const double cols_;
  std::map<graph::ValueId, Group> groups_;
};

}  // namespace weft::compiler
