// The tensors that the host holds while a network runs.
#pragma once

#include <map>
#include <utility>

#include "compiler/graph/graph.h"

namespace weft::runtime {

/// The network's values computed so far, and its constants.
class HostValues {
 public:
  explicit HostValues(const graph::Graph& graph) : graph_(graph) {}

  void set(graph::ValueId value, graph::Tensor tensor) {
    values_.insert_or_assign(value, std::move(tensor));
  }

  graph::Tensor get(graph::ValueId value) const {
    const auto known = values_.find(value);
    if (known != values_.end()) return known->second;
    return graph_.values[value].constant->tensor();
  }

  std::map<graph::ValueId, graph::Tensor> take() { return std::move(values_); }

 private:
  const graph::Graph& graph_;
  std::map<graph::ValueId, graph::Tensor> values_;
};

}  // namespace weft::runtime
