// The ranges of a network's values over sample inputs, from which quantize() takes its scales.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// Smallest and largest value seen; 0 is always in between, so that it is exactly representable.
struct Range {
  float low = 0;
  float high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// The smallest range that holds both.
Range united(const Range& a, const Range& b);

/// By the values' names.
using CalibrationRanges = std::map<std::string, Range>;

using NamedTensors = std::map<std::string, graph::Tensor>;
/// Runs a graph: inputs and outputs by name. models/reference/cpu/run_graph.h has one.
using RunGraph = std::function<NamedTensors(const graph::Graph& graph, const NamedTensors& inputs)>;

class RangeObserver {
 public:
  /// Widens the range of `name` to hold the elements of `values`, float32. Throws InputError naming
  /// the value if one is infinite or no number.
  void observe(const std::string& name, const graph::Tensor& values);
  const CalibrationRanges& ranges() const { return ranges_; }

 private:
  CalibrationRanges ranges_;
};

/// The ranges of every float32 value of `graph` that is not constant, over `samples`, each the
/// graph's inputs by name. Throws InputError if there are no samples, and what `run` throws.
CalibrationRanges calibrate(const graph::Graph& graph, std::span<const NamedTensors> samples,
                            const RunGraph& run);

}  // namespace weft::passes
