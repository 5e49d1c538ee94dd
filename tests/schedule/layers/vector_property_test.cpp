// Random layers of the vector unit on random machines, checked against the reference. Whole numbers
// make some layers exact; the others match within their roundings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/operator_table.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// A shape of rank 2 to 4, with a channel count near the array's side.
Shape random_image(const MachineConfig& config, Random& random) {
  Shape shape(static_cast<std::size_t>(random.between(2, 4)));
  for (std::int64_t& extent : shape) extent = random.between(1, 6);
  shape[1] = size_about(config.array_rows, random);
  return shape;
}

// --- Element-wise ---

/// A function with random parameters.
ValueId add_function(LayerCase& layer, ValueId x, Op op, Random& random) {
  Attributes attributes;
  for (const graph::Parameter& parameter : graph::operator_of(op).parameters) {
    attributes.set(std::string(parameter.attribute), random.one_of({0.25F, 0.5F, 1.5F}));
  }
  return layer.builder.add(op, {x}, attributes);
}

/// The functions of one number that are finite everywhere. Clip has inputs.
std::vector<Op> functions() {
  std::vector<Op> result = graph::operators_with(graph::Trait::kFunction);
  std::erase_if(result, [](Op op) { return op == Op::kClip || has(op, graph::Trait::kPartial); });
  return result;
}

void check_unary(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  static const std::vector<Op> kFunctions = functions();
  const Op op = kFunctions[static_cast<std::size_t>(random.between(0, std::ssize(kFunctions) - 1))];
  const ValueId x = layer.input(random.tensor<float>(random_image(config, random), -9, 9));
  const LayerOutcome outcome = run_layer(layer, add_function(layer, x, op, random), config);
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  // Operands are exact. The binary32 result is off by some ulps (ulps of 1 where terms cancel).
  // bf16 then adds half of 2^-7.
  expect_within(outcome, layer, [](double exact) { return 0x1.01p-8 * std::abs(exact) + 0x1p-20; });
  ++hits[std::string(to_string(op))];
  count_layers(outcome, hits);
}

TEST(VectorPropertyTest, UnaryFunctionsAreWithinOneRounding) {
  Hits hits;
  for_each_seed(hits, check_unary);
  expect_hits(hits, {"streamed"}, 5);
  for (const Op op : functions()) EXPECT_GE(hits[std::string(to_string(op))], 5) << to_string(op);
}

/// The second operand's shape and name; `constant` if this form needs a constant.
struct Broadcast {
  const char* name;
  Shape shape;
  bool constant = false;
};

Broadcast random_broadcast(const Shape& x, Random& random) {
  Shape channels{x[1]};  // [C, 1, ...] against [N, C, ...]
  channels.resize(x.size() - 1, 1);
  Shape row = x;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i == 1 ? x[1] : 1;
  Shape block = x;
  block[0] = 1;
  Shape lane = x;
  lane[1] = 1;
  return random.one_of<Broadcast>({{"number", {}, true},
                                   {"number by channel", channels, true},
                                   {"same shape", x},
                                   {"constant of the same shape", x, true},
                                   {"one row", row},
                                   {"one channel", lane},
                                   {"block of rows", block}});
}

void check_binary(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Op op = random.one_of(
      {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kMin, Op::kMax, Op::kPow, Op::kPRelu});
  const Shape shape = random_image(config, random);
  const Broadcast form = random_broadcast(shape, random);
  const ValueId a = layer.input(random.tensor<float>(shape, -9, 9));
  // Positive for division, small for powers.
  const Tensor second = random.tensor<float>(form.shape, 1, 3);
  const ValueId b = form.constant ? layer.constant(second) : layer.input(second);
  const bool commutes = op == Op::kAdd || op == Op::kMul || op == Op::kMin || op == Op::kMax;
  const bool swapped = commutes && random.chance(40);
  const std::vector<ValueId> inputs = swapped ? std::vector{b, a} : std::vector{a, b};
  const LayerOutcome outcome = run_layer(layer, layer.builder.add(op, inputs), config);
  EXPECT_TRUE(outcome.on_machine) << form.name << "\n" << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  ++hits[form.name];
  ++hits[std::string(to_string(op))];
  if (swapped) ++hits["swapped"];
  count_layers(outcome, hits);
}

TEST(VectorPropertyTest, BinaryOperatorsBroadcastExactly) {
  Hits hits;
  for_each_seed(hits, check_binary);
  expect_hits(hits,
              {"number", "number by channel", "same shape", "constant of the same shape", "one row",
               "one channel", "block of rows", "Add", "Sub", "Mul", "Div", "Min", "Max", "Pow",
               "PRelu", "swapped", "streamed"},
              5);
}

/// Quantized sum, difference or product of two dequantized inputs: one layer on the machine.
void check_quantized_binary(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Op op = random.one_of({Op::kAdd, Op::kMul, Op::kSub});
  const bool is_unsigned = random.chance(40);
  const Shape shape = random_image(config, random);
  const auto operand = [&] {
    return layer.dequantized(random_bytes(shape, is_unsigned, random), 0.02, random);
  };
  const ValueId a = operand();
  ValueId y = layer.builder.add(op, {a, operand()});
  if (random.chance(40)) y = layer.builder.add(Op::kRelu, {y});
  y = layer.quantized(y, is_unsigned, 0.03, random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  ++hits[std::string(to_string(op))];
  ++hits[is_unsigned ? "uint8" : "int8"];
  count_layers(outcome, hits);
}

TEST(VectorPropertyTest, QuantizedBinaryOperatorsHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_quantized_binary);
  expect_hits(hits, {"Add", "Mul", "Sub", "uint8", "int8"}, 20);
}

// --- Pools ---

Attributes random_window(Shape& image, bool average, Random& random) {
  const std::size_t dims = image.size() - 2;
  Ints kernel, strides, pads(2 * dims), dilations;
  for (std::size_t i = 0; i < dims; ++i) {
    kernel.push_back(random.between(1, 3));
    strides.push_back(random.between(1, 3));
    dilations.push_back(!average && random.chance(25) ? 2 : 1);
    const std::int64_t extent = (kernel[i] - 1) * dilations[i] + 1;
    image[i + 2] = std::max(extent, random.between(1, 9));
    pads[i] = random.between(0, kernel[i] - 1);
    pads[i + dims] = random.between(0, kernel[i] - 1);
  }
  Attributes attributes = {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}};
  if (!average) attributes.set("dilations", dilations);
  if (average && random.chance(50)) attributes.set("count_include_pad", std::int64_t{1});
  if (random.chance(40)) attributes.set("ceil_mode", std::int64_t{1});
  return attributes;
}

void check_pool(Random& random, Hits& hits) {
  const bool quantized = random.chance(40);
  LayerCase layer(quantized ? ElementType::kInt8 : ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  Op op =
      random.one_of({Op::kMaxPool, Op::kAveragePool, Op::kGlobalAveragePool, Op::kGlobalMaxPool});
  if (quantized && op == Op::kGlobalMaxPool) op = Op::kMaxPool;  // ONNX has no other for int8
  const bool average = op == Op::kAveragePool || op == Op::kGlobalAveragePool;
  const bool global = op == Op::kGlobalAveragePool || op == Op::kGlobalMaxPool;
  Shape image(random.chance(80) ? 4 : 3);
  image[0] = random.between(1, 3);
  image[1] = size_about(config.array_rows, random);
  const Attributes window = random_window(image, average, random);
  // Different divisors per window take extra room.
  if (average && !global) config.unified_buffer_kib = std::max(config.unified_buffer_kib, 32U);
  const Ints pads = window.integers("pads");
  const bool padded = std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; });
  if (op == Op::kAveragePool && padded && window.integer("count_include_pad", 0) == 0) {
    ++hits["divisors differ"];
  }
  if (op == Op::kAveragePool && window.integer("ceil_mode", 0) != 0) ++hits["ceil_mode"];
  ValueId x = layer.input(quantized ? random_bytes(image, false, random)
                                    : random.tensor<float>(image, -9, 9));
  const ValueId scale = layer.constant(random_scales({}, 0.02, random));
  const ValueId zero = layer.constant(random_zero_point(false, random));
  const bool in_reals = quantized && average;
  if (in_reals) x = layer.builder.add(Op::kDequantizeLinear, {x, scale, zero});
  ValueId y = layer.builder.add(op, {x}, global ? Attributes() : window);
  if (in_reals) y = layer.builder.add(Op::kQuantizeLinear, {y, scale, zero});
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  ++hits[std::string(to_string(op))];
  ++hits[quantized ? "int8" : "float"];
  ++hits["channels " + size_class(image[1], config.array_rows)];
  count_layers(outcome, hits);
}

TEST(VectorPropertyTest, PoolsAreExact) {
  Hits hits;
  for_each_seed(hits, check_pool);
  expect_hits(hits,
              {"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "divisors differ",
               "ceil_mode", "int8", "float", "channels 1", "channels side - 1", "channels side",
               "channels side + 1", "channels larger", "streamed", "several chunks"},
              5);
}

TEST(VectorPropertyTest, DivisorsOfPoolsAreFoundInEveryPieceOfALine) {
  Random random(1);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  // Lines have more windows than one instruction takes; the last window is at the edge.
  const ValueId x = layer.input(random.tensor<float>({1, 3, 3, 1200}, -9, 9));
  const ValueId y = layer.builder.add(Op::kAveragePool, {x},
                                      {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}});
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  ASSERT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  EXPECT_GT(layers_of(outcome.program)[0].chunks, 3U);
  expect_exact(outcome, layer, true);
}

TEST(VectorPropertyTest, DivisorsOfPoolsComeLineByLineWhereTheyFindNoRoom) {
  Random random(1);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  // Operand and result, 86400 bytes each, stay in the buffer. The divisors' 28800 bytes are less
  // than an eighth of the buffer, but do not fit in the three quarters outside staging. The windows
  // of an image cover one, two or three lines.
  config.unified_buffer_kib = 240;
  const ValueId x = layer.input(random.tensor<float>({3, 8, 3, 600}, -9, 9));
  const ValueId y = layer.builder.add(Op::kAveragePool, {x},
                                      {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{2, 1, 0, 1}}});
  // A search would let the operand pass through and so make room for them.
  const MappingOptions first = {.image_groups = false, .effort = SearchEffort::kNone};
  const LayerOutcome outcome = run_layer(layer, y, config, first);
  ASSERT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  EXPECT_FALSE(outcome.streamed);
  // The divisors are loaded at least once per image.
  EXPECT_GE(layers_of(outcome.program)[0].input_bytes, 86400U + 3 * 28800);
  expect_exact(outcome, layer, true);
}

// --- Concatenation ---

void check_concat(Random& random, Hits& hits) {
  const bool quantized = random.chance(40);
  LayerCase layer(quantized ? ElementType::kInt8 : ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  Shape shape = random_image(config, random);
  const bool along_channels = random.chance(70);
  const std::size_t axis = along_channels ? 1 : 0;
  std::vector<ValueId> parts;
  for (std::int64_t i = random.between(2, 3); i > 0; --i) {
    shape[axis] = along_channels ? size_about(config.array_rows, random) : random.between(1, 3);
    parts.push_back(layer.input(quantized ? random_bytes(shape, false, random)
                                          : random.tensor<float>(shape, -99, 99)));
  }
  const ValueId y =
      layer.builder.add(Op::kConcat, parts, {{"axis", static_cast<std::int64_t>(axis)}});
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  ++hits[along_channels ? "channels" : "rows"];
  ++hits[quantized ? "int8" : "float"];
}

TEST(VectorPropertyTest, ConcatenationsAreExact) {
  Hits hits;
  for_each_seed(hits, check_concat);
  expect_hits(hits, {"channels", "rows", "int8", "float"}, 20);
}

// --- Along the channels ---

void check_rows(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const std::int64_t channels = size_about(config.array_cols, random);
  const Shape shape{random.between(1, 3), random.between(1, 12), channels};
  // A matrix, so that the last axis lies in the channels.
  const Tensor x = random.tensor<float>({shape[0] * shape[1], channels}, -9, 9);
  const ValueId input = layer.input(x);
  const Op op = random.one_of({Op::kSoftmax, Op::kLogSoftmax, Op::kLayerNormalization});
  std::vector<ValueId> inputs = {input};
  if (op == Op::kLayerNormalization) {
    inputs.push_back(layer.constant(random.reals({channels}, 2)));
    if (random.chance(60)) inputs.push_back(layer.constant(random.reals({channels}, 3)));
  }
  const LayerOutcome outcome = run_layer(layer, layer.builder.add(op, inputs), config);
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  // Operands are exact. In binary32, with sums of at most 19 terms, exponents up to 18 and
  // normalized values up to 5 times 2, the error is below 2^-17 of 16. bf16 then adds half of 2^-7.
  expect_within(outcome, layer, [](double exact) { return 0x1.01p-8 * std::abs(exact) + 0x1p-13; });
  ++hits[std::string(to_string(op))];
  ++hits["channels " + size_class(channels, config.array_cols)];
  count_layers(outcome, hits);
}

TEST(VectorPropertyTest, SoftmaxAndNormalizationAreWithinTheirRoundings) {
  Hits hits;
  for_each_seed(hits, check_rows);
  expect_hits(hits,
              {"Softmax", "LogSoftmax", "LayerNormalization", "channels 1", "channels side - 1",
               "channels side", "channels side + 1", "channels larger", "several chunks"},
              5);
}

// The machine adds channels * epsilon, which must be a number.
TEST(VectorPropertyTest, TheHostNormalizesWithAHugeEpsilon) {
  const auto is_on_machine = [](float epsilon) {
    Random random(1);
    LayerCase layer(ElementType::kBf16);
    MachineConfig config = small_machine(layer.dtype, 4, 4);
    const ValueId x = layer.input(random.tensor<float>({3, 4}, -9, 9));
    const ValueId scale = layer.constant(random.reals({4}, 2));
    const ValueId y =
        layer.builder.add(Op::kLayerNormalization, {x, scale}, {{"epsilon", epsilon}});
    return run_layer(layer, y, config).on_machine;
  };
  EXPECT_TRUE(is_on_machine(8e37F));
  EXPECT_FALSE(is_on_machine(9e37F));
}

// --- Reductions ---

void check_reduction(Random& random, Hits& hits) {
  const bool quantized = random.chance(50);
  LayerCase layer(quantized ? ElementType::kInt8 : ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Op op = random.one_of({Op::kReduceSum, Op::kReduceMean, Op::kReduceMax, Op::kReduceMin});
  // Reduces along the channels or over the pixels of an image.
  const bool sums = op == Op::kReduceSum || op == Op::kReduceMean;
  const bool pixels = sums && random.chance(40);
  Shape shape(pixels ? 4U : static_cast<std::size_t>(random.between(2, 3)));
  for (std::int64_t& extent : shape) extent = random.between(1, 7);
  shape[pixels ? 1 : shape.size() - 1] = size_about(config.array_cols, random);
  const Ints axes = pixels ? Ints{2, 3} : Ints{-1};
  const std::int64_t keep = random.between(0, 1);
  const ValueId x = quantized ? layer.dequantized(random_bytes(shape, false, random), 0.02, random)
                              : layer.input(random.tensor<float>(shape, -9, 9));
  Attributes attributes = {{"keepdims", keep}};
  std::vector<ValueId> inputs = {x};
  if (op == Op::kReduceSum) {
    inputs.push_back(layer.constant(Tensor::vector<std::int64_t>(axes)));
  } else {
    attributes.set("axes", axes);
  }
  ValueId y = layer.builder.add(op, inputs, attributes);
  if (quantized) y = layer.quantized(y, false, 0.03, random);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  if (quantized) {
    // At most 49 terms below 11 add to at most 539. 50 roundings of 2^-24 * 539 are less than 2^-8.
    expect_quantized_within(outcome, layer, [](double) { return 0x1p-8; });
  } else {
    expect_within(outcome, layer, [](double exact) { return 0x1.01p-8 * std::abs(exact); });
  }
  ++hits[std::string(to_string(op))];
  ++hits[quantized ? "int8" : "float"];
  ++hits[pixels ? "pixels" : "channels"];
  ++hits[keep != 0 ? "kept" : "dropped"];
  count_layers(outcome, hits);
}

TEST(VectorPropertyTest, ReductionsAreWithinTheirRoundings) {
  Hits hits;
  for_each_seed(hits, check_reduction);
  expect_hits(hits,
              {"channels", "pixels", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "int8",
               "float", "kept", "dropped", "streamed", "several chunks"},
              5);
}

}  // namespace
}  // namespace weft::compiler::testing
