// Small graphs for the tests of the passes, and queries about graphs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"

namespace weft::passes::testing {

using graph::Attributes;
using graph::Builder;
using graph::Constant;
using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;
inline constexpr ValueId kNone = graph::kNoValue;

using Random = std::mt19937;

/// float32 values from -1 to 1, or from `low` to `high`.
Tensor random_floats(Random& random, Shape shape, float low = -1, float high = 1);
/// int8 values from `low` to `high`.
Tensor random_int8(Random& random, Shape shape, int low = -128, int high = 127);
/// A float32 constant made on demand; `made` counts how often.
Constant lazy(Tensor tensor, int* made);

/// Adds a float32 input.
ValueId input(Builder& builder, Shape shape, std::string name = "x");
/// Adds a BatchNormalization of `channels` with random statistics.
ValueId batch_norm(Builder& builder, Random& random, ValueId x, std::int64_t channels);
/// Makes `value` the only output, "y", and finishes the graph.
Graph finish(Builder& builder, ValueId value);

/// The number of nodes with operator `op`.
std::size_t count(const Graph& graph, Op op);
/// The operators in order, such as "Conv Relu".
std::string ops(const Graph& graph);
/// The first node with operator `op`; the graph must have one.
const Node& find(const Graph& graph, Op op);

}  // namespace weft::passes::testing
