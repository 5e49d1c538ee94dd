// Random products of two computed int8 matrices on random machines: bit-exact with the CPU
// reference. The second matrix has no zero point; the first may have any.
#include <gtest/gtest.h>

#include "tests/schedule/layers/product_cases.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// The zero point of a second operand: int8 0, or uint8 128, which becomes 0 on the machine.
Tensor middle(bool is_unsigned) {
  if (is_unsigned) return Tensor::scalar<std::uint8_t>(128);
  return Tensor::scalar<std::int8_t>(0);
}

struct Operands {
  ValueId a = graph::kNoValue;
  ValueId b = graph::kNoValue;
  std::int64_t k = 1;
  bool a_unsigned = false;
  bool b_unsigned = false;
};

ValueId multiply(LayerCase& layer, const Operands& operands, bool with_zero, Random& random) {
  const bool y_unsigned = random.chance(40);
  const Tensor zero =
      with_zero ? random_zero_point(operands.a_unsigned, random) : middle(operands.a_unsigned);
  return layer.builder.add(
      Op::kQLinearMatMul,
      {operands.a, layer.constant(random_scales({}, 0.05, random)), layer.constant(zero),
       operands.b, layer.constant(random_scales({}, 0.02, random)),
       layer.constant(middle(operands.b_unsigned)),
       layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(operands.k), random)),
       layer.constant(random_zero_point(y_unsigned, random))});
}

/// An input, or the maximum of two inputs computed by the machine.
ValueId bytes(LayerCase& layer, const Shape& shape, bool is_unsigned, Random& random) {
  const ValueId x = layer.input(random_bytes(shape, is_unsigned, random));
  if (is_unsigned || random.chance(50)) return x;
  return layer.builder.add(Op::kMax, {x, layer.input(random_bytes(shape, false, random))});
}

ValueId add_scores(LayerCase& layer, const Heads& h, bool with_zero, Random& random) {
  const Shape hidden{h.batch, h.tokens, h.heads * h.width};
  Operands operands{.k = h.width, .a_unsigned = random.chance(30), .b_unsigned = random.chance(30)};
  operands.a =
      split_heads(layer, bytes(layer, hidden, operands.a_unsigned, random), h.heads, false);
  operands.b = split_heads(layer, bytes(layer, hidden, operands.b_unsigned, random), h.heads, true);
  return multiply(layer, operands, with_zero, random);
}

ValueId add_context(LayerCase& layer, const Heads& h, bool with_zero, Random& random) {
  const Shape hidden{h.batch, h.tokens, h.heads * h.width};
  Operands operands{.k = h.tokens, .b_unsigned = random.chance(30)};
  operands.a = bytes(layer, {h.batch, h.heads, h.tokens, h.tokens}, false, random);
  operands.b =
      split_heads(layer, bytes(layer, hidden, operands.b_unsigned, random), h.heads, false);
  return merge_heads(layer, multiply(layer, operands, with_zero, random));
}

ValueId add_plain(LayerCase& layer, const MachineConfig& config, bool with_zero, Random& random) {
  const Sizes sizes = random_sizes(config, 2, random);
  Operands operands{.k = sizes.k, .a_unsigned = random.chance(30)};
  operands.a = bytes(layer, sizes.matrix(sizes.m, sizes.k), operands.a_unsigned, random);
  operands.b = bytes(layer, sizes.matrix(sizes.k, sizes.n), false, random);
  return multiply(layer, operands, with_zero, random);
}

void check_product(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Heads heads = random_heads(config, random);
  const bool with_zero = random.chance(75);
  ValueId y = graph::kNoValue;
  switch (random.between(0, 2)) {
    case 0:
      y = add_scores(layer, heads, with_zero, random);
      ++hits["scores"];
      break;
    case 1:
      y = add_context(layer, heads, with_zero, random);
      ++hits["context"];
      break;
    default:
      y = add_plain(layer, config, with_zero, random);
      ++hits["plain"];
  }
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  for (const HostStep& step : host_steps(outcome.program)) {
    EXPECT_NE(outcome.program.graph.nodes[step.node].op, Op::kQLinearMatMul)
        << layer_table(outcome.program);
  }
  expect_exact(outcome, layer, true);
  ++hits[with_zero ? "zero point" : "no zero point"];
  count_layers(outcome, hits);
  try_engines(outcome, layer, config, random, hits);
}

TEST(QuantizedProductPropertyTest, ProductsOfComputedMatricesHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_product);
  expect_hits(
      hits,
      {"scores", "context", "plain", "zero point", "no zero point", "streamed", "several chunks"},
      10);
}

TEST(QuantizedProductPropertyTest, ASecondZeroPointIsForTheHost) {
  Random random(1);
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  const ValueId a = layer.input(random_bytes({3, 5}, false, random));
  const ValueId b = layer.input(random_bytes({5, 4}, false, random));
  const ValueId scale = layer.constant(Tensor::scalar(0.05F));
  const ValueId zero = layer.constant(Tensor::scalar<std::int8_t>(1));
  const ValueId y =
      layer.builder.add(Op::kQLinearMatMul, {a, scale, zero, b, scale, zero, scale, zero});
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  ASSERT_EQ(host_steps(outcome.program).size(), 1U);
  EXPECT_EQ(host_steps(outcome.program)[0].reason,
            "its second operand is computed and has a zero point");
  expect_exact(outcome, layer, true);
}

}  // namespace
}  // namespace weft::compiler::testing
