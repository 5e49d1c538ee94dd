// What the contractions of a network ask of the array at least, and what the vector unit can take
// over (docs/bounds.md, sections 2 and 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
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

/// The origins of a contraction's operands: values that may hold the same elements have one origin.
struct OperandOrigins {
  graph::ValueId larger = graph::kNoValue;
  graph::ValueId smaller = graph::kNoValue;
};

/// The demands of all contractions. Those with the same larger operand are a group, and the cycles
/// of groups add up.
class ArrayDemand {
 public:
  explicit ArrayDemand(const MachineConfig& config)
      : rows_(config.array_rows), cols_(config.array_cols) {}

  void add(const ContractionDemand& demand, OperandOrigins origins);
  /// The contractions with the larger operands `origins`, each of `elements` elements, have `steps`
  /// steps that follow one another: each needs the results of all in the one before. No origin may
  /// be in two chains; if one is, or no contraction has it, the chain is left out.
  void add_chain(const std::vector<graph::ValueId>& origins, double elements, std::size_t steps);

  /// Cycles of the array, if it does all of this.
  double array() const;
  /// Cycles in which the vector unit takes the sums from the accumulators.
  double drained() const;
  /// The fewest cycles of array and vector unit together, if the latter has `vector` others.
  double least(double vector) const;

  /// The same without the cycles before the first row and after the last one, which can be cycles
  /// of other layers.
  double work() const { return array(Start::kOverlapped); }
  double least_work(double vector) const { return least(vector, Start::kOverlapped); }

 private:
  /// In cycles.
  struct Group {
    double operands = 0;  // to enter the array once
    double sums = 0;
    double drained = 0;
    double products = 0;  // of the vector unit, if it computes all of them
    bool depthwise = true;
    std::optional<std::size_t> chain;  // its number
    std::vector<Exchange> exchanges;
  };
  /// Groups whose larger operands enter again and again, because steps need other steps.
  struct Chain {
    std::vector<graph::ValueId> origins;
    double cycles = 0;
  };

  /// The pushes of the first tile count once: apart, before the first row, or with the operands
  /// that enter the array. Both give a bound. kOverlapped leaves out the begin and the end.
  enum class Start : std::uint8_t { kApart, kWithOperands, kOverlapped };

  /// Cycles in which the larger operand enters; 0 if nothing is known.
  double entering(graph::ValueId origin, const Group& group, Start start) const;
  double latency(Start start) const;
  double cycles_of(graph::ValueId origin, const Group& group, Start start) const;
  double array(Start start) const;
  double least(double vector, Start start) const;
  void add_sums(const Sums& sums, bool depthwise, Group& group) const;

  const double rows_;
  const double cols_;
  std::map<graph::ValueId, Group> groups_;  // by the origin of the larger operand
  std::vector<Chain> chains_;
  std::set<graph::ValueId> smaller_;  // origins that are smaller operands of other groups
};

}  // namespace weft::compiler
