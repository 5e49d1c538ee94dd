// Chains of views between a layer and a product with constant weights; extents of 1 are frequent.
// The machine must read the same elements as the CPU reference, wherever they lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

Shape random_shape(Random& random) {
  Shape shape(static_cast<std::size_t>(random.between(2, 4)));
  for (std::int64_t& extent : shape) extent = random.one_of<std::int64_t>({1, 1, 2, 3, 4, 5});
  return shape;
}

const Shape& shape_of(const LayerCase& layer, ValueId value) {
  return layer.builder.type(value).shape;
}

ValueId reshape(LayerCase& layer, ValueId x, const Shape& shape) {
  return layer.builder.add(Op::kReshape, {x, layer.constant(Tensor::vector<std::int64_t>(shape))});
}

/// The same elements with neighboring axes merged, one axis split, or extents of 1 inserted.
Shape regrouped(Shape shape, Random& random) {
  const std::int64_t last = static_cast<std::int64_t>(shape.size()) - 1;
  const auto axis = shape.begin() + random.between(0, last);
  if (random.chance(40)) {
    shape.insert(axis, 1);
  } else if (*axis == 4) {
    *axis = 2;
    shape.insert(axis, 2);
  } else if (axis + 1 != shape.end()) {
    *axis *= *(axis + 1);
    shape.erase(axis + 1);
  }
  return shape;
}

ValueId transpose(LayerCase& layer, ValueId x, Random& random) {
  Ints perm(shape_of(layer, x).size());
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i > 1; --i) {
    std::swap(perm[i - 1],
              perm[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return layer.builder.add(Op::kTranspose, {x}, {{"perm", perm}});
}

/// Drops the first axis of extent 1, if there is one.
ValueId squeeze(LayerCase& layer, ValueId x) {
  const Shape shape = shape_of(layer, x);
  const auto one = std::ranges::find(shape, 1);
  if (one == shape.end() || shape.size() == 1) return x;
  return layer.builder.add(
      Op::kSqueeze, {x, layer.constant(Tensor::vector<std::int64_t>({one - shape.begin()}))});
}

ValueId random_view(LayerCase& layer, ValueId x, Random& random, Hits& hits) {
  switch (random.between(0, 4)) {
    case 0:
      ++hits["Transpose"];
      return transpose(layer, x, random);
    case 1:
      ++hits["Reshape"];
      return reshape(layer, x, regrouped(shape_of(layer, x), random));
    case 2:
      ++hits["Squeeze"];
      return squeeze(layer, x);
    case 3:
      if (layer.dtype == ElementType::kInt8) return x;
      ++hits["element-wise"];
      return layer.through_machine(x);
    default:
      return x;
  }
}

/// [first axis, all others], as before a classifier, or some other matrix.
ValueId flatten(LayerCase& layer, ValueId x, Random& random, Hits& hits) {
  if (random.chance(70)) {
    const Shape shape = shape_of(layer, x);
    if (shape.size() == 4 && shape[1] == 1 && shape[2] > 1 && shape[3] > 1) ++hits["[N, 1, H, W]"];
    ++hits["Flatten"];
    return layer.builder.add(Op::kFlatten, {x}, {{"axis", std::int64_t{1}}});
  }
  const std::int64_t rows = shape_of(layer, x)[0];
  return reshape(layer, x, {rows, graph::element_count(shape_of(layer, x)) / rows});
}

ValueId views(LayerCase& layer, ValueId x, Random& random, Hits& hits) {
  for (std::int64_t left = random.between(0, 3); left > 0; --left) {
    x = random_view(layer, x, random, hits);
  }
  return flatten(layer, x, random, hits);
}

void count(const LayerOutcome& outcome, Hits& hits) {
  ++hits[outcome.on_machine ? "all on the machine" : "some on the host"];
  count_layers(outcome, hits);
}

// --- Floats ---

/// Products or copies of small whole numbers; if `softmax`, a softmax.
ValueId float_layer(LayerCase& layer, Random& random, Hits& hits, bool softmax) {
  const Shape shape = random_shape(random);
  const ValueId x = layer.input(random.tensor<float>(shape, -3, 3));
  if (softmax) {
    ++hits["Softmax"];
    return layer.builder.add(Op::kSoftmax, {x}, {{"axis", std::int64_t{-1}}});
  }
  if (random.chance(30)) return layer.through_machine(x);
  ++hits["MatMul"];
  const Shape weights{shape.back(), random.between(1, 5)};
  return layer.builder.add(Op::kMatMul, {x, layer.constant(random.tensor<float>(weights, -2, 2))});
}

void check_float(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const bool softmax = random.chance(25);
  const ValueId made = float_layer(layer, random, hits, softmax);
  const Shape shape = shape_of(layer, made);
  const ValueId matrix = views(layer, made, random, hits);
  const Shape weights{shape_of(layer, matrix)[1], random.between(1, 6)};
  const ValueId y =
      layer.builder.add(Op::kGemm, {matrix, layer.constant(random.tensor<float>(weights, -2, 2)),
                                    layer.constant(random.tensor<float>({weights[1]}, -9, 9))});
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  if (softmax) {
    // Rounding to bf16 changes each probability by at most 2^-9 of its value; the softmax error is
    // below 2^-13. Each row adds up to 1 and weights are at most 2.
    const auto elements = static_cast<double>(graph::element_count(shape));
    const double rows = elements / static_cast<double>(shape.back());
    expect_within(outcome, layer,
                  [&](double) { return 2 * (rows * 0x1.01p-9 + elements * 0x1p-13); });
  } else {
    expect_exact(outcome, layer, false);
  }
  try_engines(outcome, layer, config, random, hits);
  count(outcome, hits);
}

TEST(ViewsPropertyTest, FloatProductsReadTheElementsOfTheReferenceThroughAnyView) {
  Hits hits;
  for_each_seed(hits, check_float);
  expect_hits(hits,
              {"MatMul", "Softmax", "element-wise", "Transpose", "Reshape", "Squeeze", "Flatten",
               "[N, 1, H, W]", "all on the machine", "engines", "streamed", "several chunks"},
              5);
}

// --- Bytes ---

ValueId multiply(LayerCase& layer, ValueId a, std::int64_t k, std::int64_t n, Random& random) {
  const ByteWeights weights = random_byte_weights({k, n}, {}, random);
  return layer.builder.add(
      Op::kQLinearMatMul,
      {a, layer.constant(random_scales({}, 0.05, random)),
       layer.constant(random_zero_point(false, random)), layer.constant(weights.elements),
       layer.constant(random_scales({}, 0.02, random)), layer.constant(weights.zero_point),
       layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(k), random)),
       layer.constant(random_zero_point(false, random))});
}

void check_bytes(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape shape = random_shape(random);
  const ValueId x = layer.input(random_bytes(shape, false, random));
  const ValueId made = multiply(layer, x, shape.back(), random.between(1, 5), random);
  const ValueId matrix = views(layer, made, random, hits);
  const ValueId y =
      multiply(layer, matrix, shape_of(layer, matrix)[1], random.between(1, 6), random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  expect_exact(outcome, layer, false);
  try_engines(outcome, layer, config, random, hits);
  count(outcome, hits);
}

TEST(ViewsPropertyTest, ByteProductsReadTheElementsOfTheReferenceThroughAnyView) {
  Hits hits;
  for_each_seed(hits, check_bytes);
  expect_hits(hits,
              {"Transpose", "Reshape", "Squeeze", "Flatten", "[N, 1, H, W]", "all on the machine",
               "engines", "several chunks"},
              5);
}

}  // namespace
}  // namespace weft::compiler::testing
