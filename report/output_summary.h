// A summary of a network's outputs: type, shape and range of each, and the index of the largest
// element in each row if rows are class scores.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/tensor.h"
#include "report/text.h"
#include "runtime/network_runner.h"

namespace weft::report {

struct OutputSummary {
  /// An element, exact in its type.
  using Scalar = std::variant<std::int64_t, std::uint64_t, float, double>;

  std::string name;
  graph::ValueType type;
  /// The smallest and the largest finite element; nullopt for bool and if no element is finite.
  std::optional<std::pair<Scalar, Scalar>> range;
  std::uint64_t not_finite = 0;  // number of elements
  /// The index of the largest element in each row of a float output [N, classes]; -1 for a row with
  /// NaN.
  std::vector<std::int64_t> top;
};

/// In the order of their names.
std::vector<OutputSummary> summarize_outputs(const runtime::NamedTensors& outputs);

/// "'logits' float32 1x10 from -1.5 to 3, top 7".
std::string output_line(const OutputSummary& output);

/// A JSON list; docs/json.md explains each key.
nlohmann::ordered_json outputs_json(const std::vector<OutputSummary>& outputs);

}  // namespace weft::report
