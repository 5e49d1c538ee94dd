// What a network asks of memory and host link at least (docs/bounds.md, section 5).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::compiler {

/// Counts the elements that must come from the host or from the weight memory, and go to the host.
class TransferDemand {
 public:
  /// `graph` must outlive this. `on_host` has an entry for each node.
  TransferDemand(const graph::Graph& graph, const std::vector<bool>& on_host);

  /// The machine reads `count` elements of the value.
  void read(graph::ValueId value, double count);

  // In bytes, if an element of the array has `bytes`. 32-bit integers leave as they are.
  double constants(double bytes) const;
  double inputs_and_results(double bytes) const;
  /// `share` gives the share that counts of each of the network's outputs.
  double results(double bytes, const std::function<double(std::size_t)>& share) const;

 private:
  const graph::Graph& graph_;
  std::vector<bool> made_by_machine_;
  std::map<graph::ValueId, double> constants_;
  std::map<graph::ValueId, double> inputs_;
};

}  // namespace weft::compiler
