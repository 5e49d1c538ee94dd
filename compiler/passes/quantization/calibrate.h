// Measures the ranges of a network's values over sample inputs. quantize() computes its scales from
// these ranges.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "compiler/graph/graph.h"

namespace weft::passes {

/// The smallest and largest value seen. Every range includes 0, so that int8 can represent 0
/// exactly.
struct ValueRange {
  float low = 0;
  float high = 0;
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// The smallest range that contains both.
ValueRange united(const ValueRange& a, const ValueRange& b);

/// The ranges by the values' names.
using CalibrationRanges = std::map<std::string, ValueRange>;

using NamedTensors = std::map<std::string, graph::Tensor>;
/// Runs a graph; takes inputs and returns outputs by name. models/reference/cpu/run_graph.h has an
/// implementation.
using RunGraph = std::function<NamedTensors(const graph::Graph& graph, const NamedTensors& inputs)>;

class RangeObserver {
 public:
  /// Widens the range of `name` to contain all elements of `values`, float32. Throws InputError
  /// with the value's name if an element is infinite or NaN.
  void observe(const std::string& name, const graph::Tensor& values);
  const CalibrationRanges& ranges() const { return ranges_; }

 private:
  CalibrationRanges ranges_;
};

/// The ranges of all float32 values of `graph`, except constants, over `samples`. Each sample holds
/// the graph's inputs by name. Throws InputError if there are no samples, and the errors of `run`.
CalibrationRanges calibrate(const graph::Graph& graph, std::span<const NamedTensors> samples,
                            const RunGraph& run);

}  // namespace weft::passes
