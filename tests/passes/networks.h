// Small graphs for the tests of the passes, and what is asked of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/graph/builder.h"

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
/// A float32 constant that counts how often it is made.
Constant lazy(Tensor tensor, int* made);

/// Adds a float32 input.
ValueId input(Builder& builder, Shape shape, std::string name = "x");
/// Adds a BatchNormalization of `channels` with random statistics.
ValueId batch_norm(Builder& builder, Random& random, ValueId x, std::int64_t channels);
/// `value` as the only output, "y".
Graph finish(Builder& builder, ValueId value);

/// How many nodes of operator `op` the graph has.
std::size_t count(const Graph& graph, Op op);
/// The operators in order: "Conv Relu".
std::string ops(const Graph& graph);
/// The first node of operator `op`, which there must be.
const Node& find(const Graph& graph, Op op);

}  // namespace weft::passes::testing
