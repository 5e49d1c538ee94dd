// What a network gave, in short: each output's type and shape, its range, and the largest element
// of each row where rows are answers to choose from.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/network_runner.h"
#include "cli/text.h"
#include "compiler/graph/tensor.h"

namespace weft::cli {

struct OutputSummary {
  /// An element as exactly as its type has it.
  using Number = std::variant<std::int64_t, std::uint64_t, float, double>;

  std::string name;
  graph::ValueType type;
  /// The smallest and the largest finite element; none of bool, of nothing and of nothing finite.
  std::optional<std::pair<Number, Number>> range;
  std::uint64_t not_finite = 0;  // elements
  /// Of a float output [N, classes], where the largest element of each row is.
  std::vector<std::int64_t> top;
};

/// By name.
std::vector<OutputSummary> summarize_outputs(const NamedTensors& outputs);

/// "'logits' float32 1x10 from -1.5 to 3, top 7".
std::string output_line(const OutputSummary& output);

/// A list; docs/json.md explains each key.
nlohmann::ordered_json outputs_json(const std::vector<OutputSummary>& outputs);

/// Where the first element that is not finite is, and what it is: "element [0,3] is nan". Nothing
/// for integers.
std::optional<std::string> first_not_finite(const graph::Tensor& tensor);

/// "1,3" of the element `index` in row-major order.
std::string position_text(std::size_t index, const graph::Shape& shape);

}  // namespace weft::cli
