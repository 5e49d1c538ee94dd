// What a node asks of each unit at least, in units that do not depend on how it is mapped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::compiler {

/// `count` elements of a result, each a sum of `depth` products.
struct Sums {
  double count = 0;
  std::int64_t depth = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

/// A sum of products of two operands. Counts leave out products with padding.
struct ContractionDemand {
  std::vector<Sums> sums;
  double first = 0;   // elements of the first operand that take part
  double second = 0;  // the same of the second
  /// Each group of a convolution has one channel, so the vector unit could compute it as well.
  bool depthwise = false;

  double results() const;
  double products() const;
};

/// The number of elements of a value.
double elements_of(const graph::Graph& graph, graph::ValueId value);

/// nullopt if the node is no contraction, or one that the machine has no form for (recurrent cells
/// are unrolled before). Operands and result must have known shapes.
std::optional<ContractionDemand> contraction_demand(const graph::Graph& graph,
                                                    const graph::Node& node);

}  // namespace weft::compiler
