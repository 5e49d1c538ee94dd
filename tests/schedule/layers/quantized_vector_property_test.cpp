// Random layers between dequantized values and a QuantizeLinear, on random int8 machines. Chains of
// element-wise operators are bit-exact: the CPU reference computes binary32 in the same order. The
// reference adds sums along the channels in binary64, so these match within their roundings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/layers/pass_count.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// Shape [.., channels], with a channel count near the array's side.
Shape random_rows(const MachineConfig& config, Random& random) {
  Shape shape(static_cast<std::size_t>(random.between(2, 3)));
  for (std::int64_t& extent : shape) extent = random.between(1, 20);
  shape.back() = size_about(config.array_cols, random);
  return shape;
}

/// True if constants of several rows fit beside everything else.
bool has_room(const MachineConfig& config) {
  return config.unified_buffer_kib >= 512;
}

/// A constant operand: one number or one per channel; if there is room, also one row block or the
/// full shape.
ValueId random_constant(LayerCase& layer, const Shape& shape, bool room, Random& random,
                        Hits& hits) {
  Shape own;
  switch (random.between(0, room ? 3 : 1)) {
    case 0:
      ++hits["number"];
      break;
    case 1:
      own = {shape.back()};
      ++hits["number by channel"];
      break;
    case 2:
      own = {shape[shape.size() - 2], shape.back()};
      ++hits["rows"];
      break;
    default:
      own = shape;
      ++hits["constant of the same shape"];
  }
  Tensor constant = random.reals(own, 3);
  for (float& element : constant.mutable_data<float>()) element += element < 0 ? -0.5F : 0.5F;
  return layer.constant(constant);
}

struct Chain {
  ValueId x = graph::kNoValue;      // start of the chain
  ValueId other = graph::kNoValue;  // a second operand, also from the start
  ValueId end = graph::kNoValue;
  std::vector<ChainStep> steps = {};
};

/// Multiplies or divides by 1/16 to 16.
void append_power(LayerCase& layer, Chain& chain, Random& random) {
  const auto power = static_cast<int>(random.between(-4, 4));
  const ValueId factor = layer.constant(Tensor::scalar(std::ldexp(1.0F, power)));
  const bool first = random.chance(30);
  const Op op = first ? Op::kMul : random.one_of({Op::kMul, Op::kDiv});
  chain.end = layer.builder.add(
      op, first ? std::vector{factor, chain.end} : std::vector{chain.end, factor});
  chain.steps.push_back(ChainStep::kPower);
}

void append_step(LayerCase& layer, const Shape& shape, bool room, Chain& chain, Random& random,
                 Hits& hits) {
  graph::Builder& builder = layer.builder;
  const int kind = static_cast<int>(random.between(0, 4));
  if (kind == 4) return append_power(layer, chain, random);
  if (kind == 0) {
    const Op op = random.one_of({Op::kRelu, Op::kAbs, Op::kNeg, Op::kErf, Op::kTanh, Op::kSigmoid});
    chain.end = builder.add(op, {chain.end});
    chain.steps.push_back(ChainStep::kFunction);
    ++hits["function"];
  } else if (kind == 1 && random.chance(30)) {
    chain.end = builder.add(Op::kClip, {chain.end, layer.constant(Tensor::scalar(-1.0F)),
                                        layer.constant(Tensor::scalar(2.0F))});
    chain.steps.push_back(ChainStep::kFunction);
    ++hits["Clip"];
  } else if (kind <= 2) {
    const Op op = random.one_of({Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kMax});
    const ValueId constant = random_constant(layer, shape, room, random, hits);
    const bool shifts = (op == Op::kAdd || op == Op::kSub) &&
                        is_one_row(layer.builder.graph().type(constant).shape, shape);
    chain.end = builder.add(op, {chain.end, constant});
    chain.steps.push_back(shifts ? ChainStep::kShift : ChainStep::kCombination);
  } else {
    const bool own = random.chance(50);
    const Op op = random.one_of({Op::kAdd, Op::kMul});
    const ValueId value = own ? chain.x : chain.other;
    chain.end = random.chance(50) ? builder.add(op, {chain.end, value})
                                  : builder.add(op, {value, chain.end});
    chain.steps.push_back(ChainStep::kCombination);
    ++hits[own ? "with its own source" : "with another value"];
  }
}

Chain random_chain(LayerCase& layer, const Shape& shape, bool room, std::int64_t steps,
                   Random& random, Hits& hits) {
  const bool is_unsigned = random.chance(40);
  Chain chain{};
  chain.x = layer.dequantized(random_bytes(shape, is_unsigned, random), 0.02, random);
  chain.other = layer.dequantized(random_bytes(shape, is_unsigned, random), 0.02, random);
  chain.end = chain.x;
  for (; steps > 0; --steps) append_step(layer, shape, room, chain, random, hits);
  return chain;
}

void check_chain(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape shape = random_rows(config, random);
  const std::int64_t steps = random.between(1, 5);
  const Chain chain = random_chain(layer, shape, has_room(config), steps, random, hits);
  const ValueId y = layer.quantized(chain.end, random.chance(40), 0.03, random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  EXPECT_EQ(layers_of(outcome.program).size(), 1U) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  expect_passes(outcome.program, shape, config, passes_of(chain.steps, hits));
  ++hits["steps " + std::to_string(steps)];
  count_layers(outcome, hits);
  try_engines(outcome, layer, config, random, hits);
}

TEST(QuantizedVectorPropertyTest, ChainsOfOperatorsHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_chain);
  expect_hits(hits,
              {"number", "number by channel", "rows", "constant of the same shape", "function",
               "Clip", "with its own source", "with another value", "steps 1", "steps 5",
               "part of the next step", "part of the operand's scale", "part of the result's scale",
               "streamed", "several chunks", "engines"},
              5);
}

/// x * 2^i, a maximum, * 2^j, with scales and powers over the whole range of binary32.
void check_far_scales(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape shape = random_rows(config, random);
  const auto power = [&] { return static_cast<int>(random.between(-120, 120)); };
  const int operand = power();
  const int first = power();
  const int last = std::clamp(-operand - first, -120, 120) + static_cast<int>(random.between(0, 2));
  const int result = std::clamp(operand + first + last, -120, 120);
  const ValueId x =
      layer.dequantized(random_bytes(shape, false, random), std::ldexp(1.0, operand), random);
  const auto times = [&](ValueId value, int exponent) {
    return layer.builder.add(Op::kMul,
                             {value, layer.constant(Tensor::scalar(std::ldexp(1.0F, exponent)))});
  };
  const auto between = static_cast<float>(std::ldexp(-1.0, std::clamp(operand + first, -140, 120)));
  ValueId y =
      layer.builder.add(Op::kMax, {times(x, first), layer.constant(Tensor::scalar(between))});
  y = layer.quantized(times(y, last), random.chance(40), std::ldexp(1.0, result), random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  ++hits["passes " + std::to_string(passes(outcome.program, shape, config))];
  try_engines(outcome, layer, config, random, hits);
}

TEST(QuantizedVectorPropertyTest, PowersOfTwoKeepTheBitsFarFromOne) {
  Hits hits;
  for_each_seed(hits, check_far_scales);
  expect_hits(hits, {"passes 1", "passes 2", "passes 3", "engines"}, 5);
}

void check_softmax(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape shape = random_rows(config, random);
  const bool is_unsigned = random.chance(30);
  ValueId x = layer.dequantized(random_bytes(shape, is_unsigned, random), 0.03, random);
  std::int64_t expected_passes = 4;
  if (random.chance(50)) {
    const bool by_power = random.chance(50);
    const float divisor = by_power ? 4.0F : 3.0F;
    x = layer.builder.add(Op::kDiv, {x, layer.constant(Tensor::scalar(divisor))});
    expected_passes += by_power ? 0 : 1;
    ++hits[by_power ? "scaled by a power of two" : "scaled"];
  }
  if (has_room(config) && random.chance(70)) {
    const Shape mask{shape[shape.size() - 2], shape.back()};
    x = layer.builder.add(Op::kAdd, {x, layer.constant(random.reals(mask, 4))});
    ++expected_passes;
    ++hits["masked"];
  }
  const Op op = random.one_of({Op::kSoftmax, Op::kLogSoftmax});
  const ValueId y = layer.quantized(layer.builder.add(op, {x}), is_unsigned,
                                    op == Op::kSoftmax ? 0.005 : 0.06, random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  EXPECT_EQ(layers_of(outcome.program).size(), 1U) << layer_table(outcome.program);
  // Arguments are below 20 in size and rounded to 2^-20; scale and mask each add as much again.
  // Sums have at most 19 terms.
  expect_quantized_within(outcome, layer,
                          [](double exact) { return 0x1p-16 * (1 + std::abs(exact)); });
  if (op == Op::kSoftmax) expect_passes(outcome.program, shape, config, expected_passes);
  ++hits[std::string(to_string(op))];
  ++hits["channels " + size_class(shape.back(), config.array_cols)];
  count_layers(outcome, hits);
  try_engines(outcome, layer, config, random, hits);
}

TEST(QuantizedVectorPropertyTest, SoftmaxWithScaleAndMaskIsWithinItsRoundings) {
  Hits hits;
  for_each_seed(hits, check_softmax);
  expect_hits(hits,
              {"scaled", "scaled by a power of two", "masked", "Softmax", "LogSoftmax",
               "channels 1", "channels side - 1", "channels side", "channels side + 1",
               "channels larger", "several chunks", "streamed", "engines"},
              5);
}

TEST(QuantizedVectorPropertyTest, RowsOfAConstantAreFoundInEveryPieceOfTheirBlock) {
  Random random(1);
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  // There are two blocks, each with more rows than one instruction takes.
  const Shape shape{2, 1100, 5};
  const ValueId x = layer.dequantized(random_bytes(shape, false, random), 0.02, random);
  const ValueId rows = layer.constant(random.reals({1100, 5}, 3));
  const ValueId y = layer.quantized(layer.builder.add(Op::kAdd, {x, rows}), false, 0.03, random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  ASSERT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  EXPECT_GT(layers_of(outcome.program)[0].chunks, 2U);
  expect_exact(outcome, layer, true);
}

TEST(QuantizedVectorPropertyTest, RowsOfAConstantComeTileByTileWhereTheyFindNoRoom) {
  Random random(1);
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  // Operand and result, 96800 bytes each, stay in the buffer. The constant's 35200 bytes are less
  // than an eighth of the buffer, but do not fit in the three quarters outside staging.
  config.unified_buffer_kib = 288;
  const Shape shape{11, 1100, 5};
  const ValueId x = layer.dequantized(random_bytes(shape, false, random), 0.02, random);
  const ValueId rows = layer.constant(random.reals({1100, 5}, 3));
  const ValueId y = layer.quantized(layer.builder.add(Op::kAdd, {x, rows}), false, 0.03, random);
  // Among other schedules there are faster ones, without this case.
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = SearchEffort::kNone});
  ASSERT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  EXPECT_FALSE(outcome.streamed);
  // The constant is loaded at least once per image.
  EXPECT_GE(layers_of(outcome.program)[0].input_bytes, 96800U + 11 * 35200);
  expect_exact(outcome, layer, true);
}

void check_normalization(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape shape = random_rows(config, random);
  std::vector<ValueId> inputs = {
      layer.dequantized(random_bytes(shape, random.chance(30), random), 0.03, random),
      layer.constant(random.reals({shape.back()}, 2))};
  if (random.chance(60)) {
    inputs.push_back(layer.constant(random.reals({shape.back()}, 3)));
    ++hits["bias"];
  }
  const ValueId y = layer.quantized(layer.builder.add(Op::kLayerNormalization, inputs),
                                    random.chance(30), 0.05, random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  // Values below 8, and sums of at most 19 of them, have errors below 2^-19. Deviations are 0 or at
  // least 0.015; at 0 the divisor is the root of epsilon, 0.003. So 2^-19 / 0.003 < 2^-10.
  expect_quantized_within(outcome, layer, [](double) { return 0x1p-10; });
  // The five or six passes over all channels, and one for sigma.
  EXPECT_EQ(layers_of(outcome.program)[0].vector_rows,
            static_cast<std::uint64_t>(rows_of(shape) * (5 * tiles_of(shape, config) + 1)) +
                (inputs.size() == 3 ? lane_rows(shape, config) : 0));
  ++hits["channels " + size_class(shape.back(), config.array_cols)];
  count_layers(outcome, hits);
  try_engines(outcome, layer, config, random, hits);
}

TEST(QuantizedVectorPropertyTest, NormalizationIsWithinItsRoundings) {
  Hits hits;
  for_each_seed(hits, check_normalization);
  expect_hits(hits,
              {"bias", "channels 1", "channels side - 1", "channels side", "channels side + 1",
               "channels larger", "several chunks", "streamed", "engines"},
              5);
}

/// Computes maximum or minimum with `bound` element by element, in integers.
template <class Byte>
Tensor bounded(const Tensor& x, int bound, bool is_max) {
  Tensor result(x.type(), x.shape());
  const auto out = result.mutable_data<Byte>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int value = x.data<Byte>()[i];
    out[i] = static_cast<Byte>(is_max ? std::max(value, bound) : std::min(value, bound));
  }
  return result;
}

TEST(QuantizedVectorPropertyTest, MaximaAndMinimaOfIntegersAndANumberAreExact) {
  Hits hits;
  for_each_seed(hits, [](Random& random, Hits& hit) {
    MachineConfig config = random_layer_machine(ElementType::kInt8, random);
    LayerCase layer(ElementType::kInt8);
    const bool is_unsigned = random.chance(50);
    const bool is_max = random.chance(50);
    const Tensor x = random_bytes(random_rows(config, random), is_unsigned, random);
    const int bound =
        static_cast<int>(is_unsigned ? random.between(0, 255) : random.between(-128, 127));
    const Tensor number = is_unsigned ? Tensor::scalar(static_cast<std::uint8_t>(bound))
                                      : Tensor::scalar(static_cast<std::int8_t>(bound));
    std::vector<ValueId> operands = {layer.input(x), layer.constant(number)};
    if (random.chance(50)) std::swap(operands[0], operands[1]);
    const ValueId y = layer.builder.add(is_max ? Op::kMax : Op::kMin, operands);
    const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
    ++hit[is_unsigned ? "uint8" : "int8"];
    ASSERT_TRUE(outcome.on_machine);
    ASSERT_EQ(outcome.result(), is_unsigned ? bounded<std::uint8_t>(x, bound, is_max)
                                            : bounded<std::int8_t>(x, bound, is_max));
  });
  EXPECT_GE(hits["uint8"], 50);
  EXPECT_GE(hits["int8"], 50);
}

}  // namespace
}  // namespace weft::compiler::testing
