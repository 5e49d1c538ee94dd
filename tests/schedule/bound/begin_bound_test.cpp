// Weights that must have come before work can begin. A case computed by hand; and random networks
// in which each weight is changed alone: an element that changes with it needed it.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/graph/operator_table.h"
#include "compiler/mapping/bound/bound.h"
#include "compiler/mapping/bound/needs.h"
#include "models/reference/cpu/run_graph.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

ValueId input(Builder& builder, Shape shape) {
  return builder.input("x", {DataType::kFloat32, std::move(shape)});
}

ValueId zeros(Builder& builder, Shape shape) {
  return builder.constant(Tensor(DataType::kFloat32, std::move(shape)));
}

ValueId times(Builder& builder, ValueId rows, std::int64_t inner, std::int64_t columns) {
  return builder.add(Op::kMatMul, {rows, zeros(builder, {inner, columns})});
}

MachineConfig split(std::uint64_t memory, std::uint64_t host) {
  MachineConfig config = load_preset("tiny");
  config.array_rows = config.array_cols = 256;
  config.dtype = ElementType::kBf16;
  config.memory_kind = MemoryKind::kSplit;
  config.memory_bytes_per_s = memory * config.clock_hz;
  config.host_bytes_per_s = host * config.clock_hz;
  return config;
}

// --- By hand -------------------------------------------------------------------------------------

TEST(BeginBoundTest, ResultsLeaveAfterTheWeightsThatTheyNeed) {
  Builder builder("rows");
  const ValueId first = times(builder, input(builder, {2000, 1}), 1, 64);
  builder.output(times(builder, times(builder, first, 64, 4096), 4096, 64), "y");
  const Bound bound = lower_bound(builder.finish(), {}, split(8, 1));
  // An element needs 64 weights, 64 x 4096, and a column of 4096, of 2 bytes, over both channels.
  // 2000 x 64 elements leave over the host link.
  const double begin = (64 + 64 * 4096 + 4096) * 2 / 9.0;
  EXPECT_EQ(bound.cycles, static_cast<Cycle>(begin) + 1 + 2000 * 64 * 2);
  EXPECT_EQ(bound.by, BoundBy::kHostLink);
}

/// One row grows to 20,000, which a product turns into 256 columns.
graph::Graph grown(bool in_position) {
  Builder builder("grown");
  const ValueId one = times(builder, times(builder, input(builder, {1, 64}), 64, 4096), 4096, 64);
  const ValueId table = zeros(builder, {20'000, 64});
  const ValueId many = in_position ? builder.add(Op::kAdd, {one, table})
                                   : builder.add(Op::kConcat, {table, one}, {{"axis", 0}});
  const ValueId wide = times(builder, many, 64, 256);
  builder.output(builder.add(Op::kReduceMax, {wide}, {{"keepdims", 1}}), "y");
  return builder.finish();
}

TEST(BeginBoundTest, UnitsWorkAfterTheWeightsThatTheyNeed) {
  const Bound bound = lower_bound(grown(true), {}, split(1, 64));
  // An element of the sum needs 64 x 4096 weights and a column of 4096. Then the vector unit writes
  // the sum, 20,000 x 64 lanes, and drains 20,000 x 256. Two tiles may lie in the array before.
  EXPECT_EQ(bound.cycles, (64 * 4096 + 4096) * 2 / 65 + 20'000 * (64 + 256) / 256 - 2 * 256);
  EXPECT_EQ(bound.by, BoundBy::kVectorUnit);
}

TEST(BeginBoundTest, RowsThatNeedNoWeightsMayComeFirst) {
  const Bound bound = lower_bound(grown(false), {}, split(1, 64));
  // The array may begin with the table. The operands of the first products enter, 64 x 4096
  // elements each, and 20,001 rows; the last ones pass all columns.
  EXPECT_EQ(bound.cycles, 2 * 64 * 4096 / 256 + 20'001 + 256 + 256 - 2);
}

TEST(BeginBoundTest, OnAnIdealMemoryNothingComesLate) {
  MachineConfig config = split(1, 1);
  config.memory_kind = MemoryKind::kIdeal;
  EXPECT_EQ(lower_bound(grown(true), {}, config).by, BoundBy::kVectorUnit);
  EXPECT_LE(lower_bound(grown(true), {}, config).cycles, 25'100);
}

/// An element of the result depends on 2^layers elements of the input.
graph::Graph spread(std::int64_t layers) {
  Builder builder("spread");
  std::int64_t extent = std::int64_t{1} << static_cast<unsigned>(layers);
  ValueId value = times(builder, input(builder, {extent, 2}), 2, 2);
  const auto rows = [&](ValueId of, std::int64_t first, std::int64_t end) {
    return builder.add(Op::kSlice, {of, builder.constant(Tensor::vector<std::int64_t>({first})),
                                    builder.constant(Tensor::vector<std::int64_t>({end})),
                                    builder.constant(Tensor::vector<std::int64_t>({0}))});
  };
  for (std::int64_t apart = 1; extent - apart >= 1; apart *= 2) {
    value = builder.add(Op::kAdd, {rows(value, 0, extent - apart), rows(value, apart, extent)});
    extent -= apart;
  }
  builder.output(rows(value, 0, 1), "y");
  return builder.finish();
}

TEST(BeginBoundTest, WhatTakesTooLongIsLeftOut) {
  const auto need = [](std::int64_t layers) {
    const graph::Graph graph = spread(layers);
    const std::vector<bool> on_host(graph.nodes.size(), false);
    return Needs(graph, on_host).of_elements(graph.outputs[0].value).front().weights;
  };
  EXPECT_EQ(need(6), 2);  // a column
  EXPECT_LE(need(40), 2);
}

// --- Random networks -----------------------------------------------------------------------------

/// A few operators after one another, whose results change with each number on which they depend.
class RandomNetwork {
 public:
  explicit RandomNetwork(Random& random) : random_(random), builder_("random") {
    value_ = random_.chance(40) ? builder_.input("x", {DataType::kFloat32, {2, 3, 4, 5}})
                                : builder_.input("x", {DataType::kFloat32, {2, 3, 4}});
  }

  graph::Graph build(std::map<std::string, int>& operators) {
    const std::int64_t steps = random_.between(3, 9);
    for (std::int64_t i = 0; i < steps; ++i) step();
    builder_.output(value_, "y");
    graph::Graph graph = builder_.finish();
    for (const graph::Node& node : graph.nodes) {
      ++operators[std::string(graph::to_string(node.op))];
    }
    return graph;
  }

 private:
  /// A copy, because a new value moves those of the builder.
  Shape shape() const { return builder_.type(value_).shape; }
  /// Some weights are used twice.
  ValueId constant(const Shape& shape) {
    const auto known = constants_.find(shape);
    if (known != constants_.end() && random_.chance(30)) return known->second;
    return constants_[shape] = builder_.constant(random_.reals(shape, 0.7F));
  }
  ValueId list(const std::vector<std::int64_t>& numbers) {
    return builder_.constant(Tensor::vector(numbers));
  }
  ValueId add(Op op, std::vector<ValueId> inputs, graph::Attributes attributes = {}) {
    return builder_.add(op, std::move(inputs), std::move(attributes));
  }
  std::int64_t any_axis() {
    return random_.between(0, static_cast<std::int64_t>(shape().size()) - 1);
  }

  void step() {
    switch (random_.between(0, 10)) {
      case 0:
      case 1:
        return multiply();
      case 2:
        return convolve();
      case 3:
        return transpose();
      case 4:
        return reshape();
      case 5:
        return concatenate();
      case 6:
        return take_part();
      case 7:
        return slice();
      case 8:
        return normalize();
      case 9:
        value_ = add(Op::kAdd, {value_, add(Op::kSigmoid, {value_})});
        return;
      default:
        return attend();
    }
  }

  void multiply() {
    const std::int64_t inner = shape().back();
    const std::int64_t columns = random_.between(2, 4);
    if (shape().size() != 2 || random_.chance(50)) {
      value_ = add(Op::kMatMul, {value_, constant({inner, columns})});
      return;
    }
    const bool turns_a = random_.chance(50);
    const bool turns_b = random_.chance(50);
    const std::int64_t depth = turns_a ? shape().front() : inner;
    const Shape weights = turns_b ? Shape{columns, depth} : Shape{depth, columns};
    value_ = add(Op::kGemm, {value_, constant(weights)},
                 {{"transA", turns_a ? 1 : 0}, {"transB", turns_b ? 1 : 0}});
  }

  void convolve() {
    if (shape().size() != 4 || shape()[2] < 3 || shape()[3] < 3) return multiply();
    const std::int64_t channels = shape()[1];
    const bool depthwise = random_.chance(30);
    const std::int64_t side = random_.between(1, 3);
    const std::int64_t pad = random_.between(0, 3);
    const Shape weights = {depthwise ? channels : random_.between(2, 3), depthwise ? 1 : channels,
                           side, side};
    value_ = add(Op::kConv, {value_, constant(weights), constant({weights[0]})},
                 {{"group", depthwise ? channels : 1},
                  {"dilations", std::vector<std::int64_t>(2, side == 2 ? 2 : 1)},
                  {"strides", std::vector<std::int64_t>(2, random_.between(1, 2))},
                  {"pads", std::vector<std::int64_t>(4, pad)}});
    // Elements in the padding must differ, or normalizing them hides what they depend on.
    value_ = add(Op::kAdd, {value_, constant(shape())});
  }

  void transpose() {
    std::vector<std::int64_t> from(shape().size());
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = 1; i < from.size(); ++i) {
      std::swap(from[i], from[static_cast<std::size_t>(random_.between(0, static_cast<int>(i)))]);
    }
    value_ = add(Op::kTranspose, {value_}, {{"perm", from}});
  }

  /// Joins two axes, or divides one.
  void reshape() {
    Shape to = shape();
    const auto at = static_cast<std::size_t>(any_axis());
    if (at + 1 < to.size() && random_.chance(50)) {
      to[at] *= to[at + 1];
      to.erase(to.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    } else if (to.size() < 4 && to[at] % 2 == 0) {
      to[at] /= 2;
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(at) + random_.between(0, 1), 2);
    }
    if (to.size() >= 2) value_ = add(Op::kReshape, {value_, list(to)});
  }

  void concatenate() {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape()) size *= extent;
    if (size > 200) return take_part();
    std::vector<ValueId> parts = {value_, times_weights()};
    if (random_.chance(30)) parts.push_back(constant(shape()));
    if (random_.chance(50)) std::swap(parts[0], parts[1]);
    value_ = add(Op::kConcat, parts, {{"axis", any_axis()}});
  }
  ValueId times_weights() {
    return add(Op::kMatMul, {value_, constant({shape().back(), shape().back()})});
  }

  void take_part() {
    const std::int64_t axis = any_axis();
    const std::int64_t extent = shape()[static_cast<std::size_t>(axis)];
    if (extent < 2) return;
    const std::int64_t first = random_.between(1, extent - 1);
    const std::vector<ValueId> parts =
        builder_.add(Op::kSplit, {value_, list({first, extent - first})}, {{"axis", axis}}, "",
                     std::vector<std::string>{"first", "second"});
    value_ = parts[static_cast<std::size_t>(random_.between(0, 1))];
  }

  void slice() {
    const std::int64_t axis = any_axis();
    const std::int64_t extent = shape()[static_cast<std::size_t>(axis)];
    const std::int64_t start = random_.between(0, extent - 1);
    const bool backward = random_.chance(30);
    value_ = backward ? add(Op::kSlice, {value_, list({start}), list({-extent - 1}), list({axis}),
                                         list({-random_.between(1, 2)})})
                      : add(Op::kSlice, {value_, list({start}), list({extent}), list({axis}),
                                         list({random_.between(1, 2)})});
  }

  void normalize() {
    const std::int64_t axis = any_axis();
    if (shape().size() == 4 && random_.chance(40)) {
      // The mean of what softmax gives would always be the same.
      value_ = add(Op::kGlobalAveragePool, {add(Op::kTanh, {value_})});
    } else if (shape().back() >= 3 && random_.chance(50)) {
      value_ = add(Op::kLayerNormalization, {value_, constant({shape().back()})}, {{"axis", -1}});
    } else if (shape()[static_cast<std::size_t>(axis)] > 1) {
      // Of one element, or of large ones, it is 1 whatever they are.
      const ValueId small = add(Op::kMul, {value_, builder_.constant(Tensor::scalar(0.01F))});
      value_ = add(Op::kSoftmax, {small}, {{"axis", axis}});
    }
  }

  /// Both operands of a product are computed.
  void attend() {
    if (shape().size() != 3) return multiply();
    const ValueId keys =
        add(Op::kTranspose, {times_weights()}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
    value_ = add(Op::kMatMul, {add(Op::kMatMul, {value_, keys}), times_weights()});
  }

  Random& random_;
  Builder builder_;
  ValueId value_ = graph::kNoValue;
  std::map<Shape, ValueId> constants_;
};

/// For each element of the result how many weights of contractions change it.
std::vector<double> weights_that_change(graph::Graph graph, const Tensor& x) {
  const auto result = [&] {
    return reference::run_graph(graph, {{"x", x}}, {.double_precision = true}).at("y");
  };
  const Tensor before = result();
  std::vector<double> counts(static_cast<std::size_t>(before.size()), 0);
  std::set<ValueId> weights;
  for (const graph::Node& node : graph.nodes) {
    if (!graph::has(node.op, graph::Trait::kContraction)) continue;
    if (graph.is_constant(node.inputs[1])) weights.insert(node.inputs[1]);
  }
  for (const ValueId value : weights) {
    const Tensor all = graph.values[value].constant->tensor();
    for (std::size_t i = 0; i < static_cast<std::size_t>(all.size()); ++i) {
      Tensor changed = all;
      changed.mutable_data<float>()[i] += 0.37F;
      graph.values[value].constant = changed;
      const Tensor after = result();
      for (std::size_t e = 0; e < counts.size(); ++e) {
        if (after.data<double>()[e] != before.data<double>()[e]) ++counts[e];
      }
    }
    graph.values[value].constant = all;
  }
  return counts;
}

TEST(BeginBoundTest, ElementsChangeWithTheWeightsThatTheyNeed) {
  const std::uint64_t seeds = draws(300, 3000);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::map<std::string, int> operators;
  int needing = 0;
  int in_parts = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const graph::Graph graph = RandomNetwork(random).build(operators);
    const Tensor x = random.reals(graph.type(graph.inputs[0]).shape, 1);
    const std::vector<double> counts = weights_that_change(graph, x);
    const std::vector<bool> on_host(graph.nodes.size(), false);
    Needs needs(graph, on_host);
    std::vector<Need> parts = needs.of_elements(graph.outputs[0].value);
    double shares = 0;
    for (const Need& need : parts) {
      double least = 0;  // the share of the elements that need as much
      for (const Need& other : parts) least += other.weights >= need.weights ? other.share : 0;
      const auto more = static_cast<double>(
          std::ranges::count_if(counts, [&](double count) { return count >= need.weights; }));
      EXPECT_GE(more, least * static_cast<double>(counts.size()) - 1e-9) << need.weights;
      shares += need.share;
    }
    EXPECT_NEAR(shares, 1, 1e-12);
    needing += parts.front().weights > 4 ? 1 : 0;
    in_parts += parts.size() > 1 ? 1 : 0;
  }
  std::cout << needing << " networks need weights, " << in_parts << " in parts\n";
  EXPECT_GE(needing, static_cast<int>(seeds / 4));
  EXPECT_GE(in_parts, static_cast<int>(seeds / 50));
  for (const char* op : {"MatMul", "Gemm", "Conv", "Transpose", "Reshape", "Concat", "Split",
                         "Slice", "Softmax", "LayerNormalization", "GlobalAveragePool"}) {
    EXPECT_GE(operators[op], 10) << op;
  }
}

}  // namespace
}  // namespace weft::compiler::testing
