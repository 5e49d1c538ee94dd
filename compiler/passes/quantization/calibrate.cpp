#include "compiler/passes/quantization/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace weft::passes {

using graph::Graph;
using graph::Tensor;
using graph::ValueId;

namespace {

/// `graph` with every value that needs a range as an output of the same name.
Graph with_all_outputs(Graph graph) {
  graph.outputs.clear();
  for (ValueId value = 0; value < graph.values.size(); ++value) {
    if (graph.type(value).type != graph::DataType::kFloat32 || graph.is_constant(value)) continue;
    graph.outputs.push_back({graph.values[value].name, value});
  }
  return graph;
}

}  // namespace

ValueRange united(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

void RangeObserver::observe(const std::string& name, const Tensor& values) {
  ValueRange& range = ranges_[name];
  for (const float value : values.data<float>()) {
    if (!std::isfinite(value)) {
      // Show NaN without its sign, which has no meaning.
      const float shown = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;
      throw InputError(fmt::format(
          "value '{}' is {} for a calibration sample: it has no range to quantize; use finite "
          "numbers in its place, or run the network on a machine of floats",
          name, shown));
    }
    range = united(range, {value, value});
  }
}

CalibrationRanges calibrate(const Graph& graph, std::span<const NamedTensors> samples,
                            const RunGraph& run) {
  if (samples.empty()) throw InputError("calibration needs at least one sample");
  const Graph observed = with_all_outputs(graph);
  RangeObserver observer;
  for (const NamedTensors& sample : samples) {
    for (const auto& [name, tensor] : run(observed, sample)) observer.observe(name, tensor);
  }
  return observer.ranges();
}

}  // namespace weft::passes
