// Random float and integer matrix products on random machines, with constant and computed operands:
// bit-exact with the CPU reference.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/blocks/constant_rows.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/layers/product_cases.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

void count_product(const MachineConfig& config, const Sizes& sizes, const LayerOutcome& outcome,
                   Hits& hits) {
  ++hits["K " + size_class(sizes.k, config.array_rows)];
  ++hits["N " + size_class(sizes.n, config.array_cols)];
  ++hits[sizes.batch.empty() ? "one matrix" : "several matrices"];
  if (outcome.streamed) ++hits["streamed"];
  for (const LayerInfo& layer : layers_of(outcome.program)) {
    if (layer.chunks > 1) ++hits["several chunks"];
  }
}

// --- Float, constant weights ---

void check_constant_product(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const bool gemm = random.chance(40);
  const Sizes sizes = random_sizes(config, gemm ? 0 : 2, random);
  Attributes attributes;
  const bool transposed = gemm && random.chance(50);
  if (transposed) attributes.set("transB", std::int64_t{1});
  ValueId a = layer.input(random.tensor<float>(sizes.matrix(sizes.m, sizes.k), -8, 8));
  if (random.chance(40)) a = layer.through_machine(a);
  const Shape weights = transposed ? Shape{sizes.n, sizes.k} : Shape{sizes.k, sizes.n};
  std::vector<ValueId> inputs = {a, layer.constant(random.tensor<float>(weights, -8, 8))};
  if (random.chance(60)) {
    inputs.push_back(layer.constant(random.tensor<float>({sizes.n}, -99, 99)));
    ++hits["bias"];
  }
  if (random.chance(30)) {
    inputs.resize(3, inputs.size() == 3 ? inputs.back() : graph::kNoValue);
    inputs.push_back(layer.input(random.tensor<float>(sizes.matrix(sizes.m, sizes.n), -99, 99)));
    ++hits["residual"];
  }
  if (random.chance(40)) attributes.set("activation", std::string("Relu"));
  ValueId y = layer.builder.add(gemm ? Op::kGemm : Op::kMatMul, inputs, attributes);
  const bool narrow = random.chance(60);
  if (narrow) y = layer.through_machine(y);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, narrow);
  count_product(config, sizes, outcome, hits);
  ++hits[gemm ? transposed ? "Gemm with transB" : "Gemm" : "MatMul"];
}

TEST(ProductPropertyTest, FloatProductsOfWholeNumbersAreExact) {
  Hits hits;
  for_each_seed(hits, check_constant_product);
  expect_hits(hits,
              {"K 1", "K side - 1", "K side", "K side + 1", "K larger", "N 1", "N side - 1",
               "N side", "N side + 1", "N larger", "one matrix", "several matrices", "streamed",
               "several chunks", "bias", "residual", "Gemm", "Gemm with transB", "MatMul"},
              10);
}

// --- Either operand stationary ---

/// A product of computed activations, whose result only the host reads: as it is written and
/// transposed, with the same bits.
void check_streamed_weights(Random& random, Hits& hits) {
  const ElementType dtype = random_float_type(random);
  const bool gemm = random.chance(40);
  const bool leading = !gemm && random.chance(50);
  const bool turned_weights = gemm && random.chance(50);
  const bool shaped = random.chance(50);
  const bool relu = random.chance(50);
  const bool is_long = random.chance(8);
  const bool bias = is_long || random.chance(50);
  MachineConfig machine = random_layer_machine(dtype, random);
  Sizes sizes = random_sizes(machine, 0, random);
  if (is_long) {
    sizes = {{}, random.between(1, 2), random.between(1, 4), random.between(1000, 1500)};
    machine.accumulator_rows = 1024;
    machine.unified_buffer_kib = 64;
  }
  const Shape rows = leading ? Shape{1, sizes.m, sizes.k} : Shape{sizes.m, sizes.k};
  const Tensor x = random.tensor<float>(rows, -8, 8);
  const Shape weights = turned_weights ? Shape{sizes.n, sizes.k} : Shape{sizes.k, sizes.n};
  const Tensor w = random.tensor<float>(weights, -8, 8);
  const Tensor offsets = random.tensor<float>({sizes.n}, -99, 99);
  const SearchEffort effort = random_effort(random);
  Tensor straight;
  for (const bool turned : {false, true}) {
    LayerCase layer(dtype);
    Attributes attributes;
    if (turned_weights) attributes.set("transB", std::int64_t{1});
    if (relu) attributes.set("activation", std::string("Relu"));
    std::vector<ValueId> inputs = {layer.through_machine(layer.input(x)), layer.constant(w)};
    if (bias) inputs.push_back(layer.constant(offsets));
    ValueId y = layer.builder.add(gemm ? Op::kGemm : Op::kMatMul, inputs, attributes);
    if (shaped) {
      const Tensor shape = Tensor::vector<std::int64_t>({1, sizes.m, 1, sizes.n});
      y = layer.builder.add(Op::kReshape, {y, layer.constant(shape)});
    }
    MappingOptions options;
    options.turned_results = turned;
    options.effort = effort;
    MachineConfig config = machine;
    // A column tile of the stationary operand must fit.
    config.unified_buffer_kib = std::max(config.unified_buffer_kib, 2U);
    const LayerOutcome outcome = run_layer(layer, y, config, options);
    EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
    expect_exact(outcome, layer, shaped);
    const auto layers = layers_of(outcome.program);
    const bool streams = layers.back().note.find("the weights stream") != std::string::npos;
    EXPECT_EQ(streams, turned) << layer_table(outcome.program);
    if (!turned) {
      straight = outcome.result();
    } else {
      EXPECT_EQ(outcome.result(), straight);
    }
    if (!is_long) try_engines(outcome, layer, config, random, hits);
    if (!turned) continue;
    count_product(config, sizes, outcome, hits);
    const auto chunks = static_cast<std::int64_t>(layers.back().chunks);
    if (bias && sizes.n > chunks * kMostBiasRows) ++hits["bias in pieces"];
  }
  ++hits["M " + size_class(sizes.m, machine.array_cols)];
  ++hits[turned_weights ? "Gemm with transB" : gemm ? "Gemm" : "MatMul"];
  ++hits[shaped ? "another shape" : "the product's shape"];
  ++hits[relu ? "Relu" : "no activation"];
  ++hits[bias ? "bias" : "no bias"];
}

TEST(ProductPropertyTest, ResultsAreTheSameWhicheverOperandIsStationary) {
  Hits hits;
  for_each_seed(hits, check_streamed_weights);
  expect_hits(hits,
              {"K 1",
               "K side",
               "K side + 1",
               "K larger",
               "N 1",
               "N side",
               "N larger",
               "M 1",
               "M side",
               "M side + 1",
               "M larger",
               "streamed",
               "several chunks",
               "Gemm",
               "Gemm with transB",
               "MatMul",
               "another shape",
               "the product's shape",
               "Relu",
               "no activation",
               "bias",
               "no bias",
               "bias in pieces",
               "engines"},
              8);
}

// --- Float, both operands computed ---

/// Multiplies by the identity: the result has the layout of a projection, hidden units in channels.
ValueId through_product(LayerCase& layer, const Tensor& tensor) {
  const std::int64_t hidden = tensor.shape().back();
  Tensor identity(DataType::kFloat32, {hidden, hidden});
  for (std::int64_t i = 0; i < hidden; ++i) {
    identity.mutable_data<float>()[static_cast<std::size_t>(i * hidden + i)] = 1;
  }
  return layer.builder.add(Op::kMatMul, {layer.input(tensor), layer.constant(identity)});
}

/// Q K^T per head.
ValueId add_scores(LayerCase& layer, const Heads& h, Random& random) {
  const Shape hidden{h.batch, h.tokens, h.heads * h.width};
  const auto operand = [&] { return through_product(layer, random.tensor<float>(hidden, -8, 8)); };
  const ValueId q = split_heads(layer, operand(), h.heads, false);
  const ValueId k = split_heads(layer, operand(), h.heads, true);
  return layer.builder.add(Op::kMatMul, {q, k});
}

/// Shares times V per head, then merges the heads.
ValueId add_context(LayerCase& layer, const Heads& h, Random& random) {
  const Tensor shares = random.tensor<float>({h.batch, h.heads, h.tokens, h.tokens}, -8, 8);
  const Shape hidden{h.batch, h.tokens, h.heads * h.width};
  const ValueId values = through_product(layer, random.tensor<float>(hidden, -8, 8));
  const ValueId v = split_heads(layer, values, h.heads, false);
  return merge_heads(layer, layer.builder.add(Op::kMatMul, {layer.input(shares), v}));
}

/// Plain matrices; one of them may be shared by the whole batch.
ValueId add_plain(LayerCase& layer, const MachineConfig& config, Random& random, Hits& hits) {
  const Sizes sizes = random_sizes(config, 2, random);
  const bool shared = random.chance(30) && !sizes.batch.empty();
  const Shape b = shared ? Shape{sizes.k, sizes.n} : sizes.matrix(sizes.k, sizes.n);
  if (shared) ++hits["one matrix for the batch"];
  const ValueId first = layer.input(random.tensor<float>(sizes.matrix(sizes.m, sizes.k), -8, 8));
  const Tensor second = random.tensor<float>(b, -8, 8);
  const bool constant = b.size() > 2 && random.chance(40);
  if (constant) ++hits["constant matrices"];
  return layer.builder.add(Op::kMatMul,
                           {first, constant ? layer.constant(second) : layer.input(second)});
}

void check_computed_product(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Heads heads = random_heads(config, random);
  ValueId y = graph::kNoValue;
  bool narrow = false;  // results that only leave the machine are 32-bit words
  switch (random.between(0, 2)) {
    case 0:
      y = add_scores(layer, heads, random);
      ++hits["scores"];
      ++hits["width " + size_class(heads.width, config.array_rows)];
      break;
    case 1:
      y = add_context(layer, heads, random);
      narrow = heads.heads > 1;  // merging the heads places them side by side, as array elements
      ++hits["context"];
      ++hits[heads.width % config.array_rows == 0 ? "whole planes" : "parts of planes"];
      break;
    default:
      y = add_plain(layer, config, random, hits);
      ++hits["plain"];
  }
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, narrow);
  if (outcome.streamed) ++hits["streamed"];
}

TEST(ProductPropertyTest, ProductsOfComputedMatricesOfWholeNumbersAreExact) {
  Hits hits;
  for_each_seed(hits, check_computed_product);
  expect_hits(hits,
              {"scores", "context", "plain", "whole planes", "parts of planes", "streamed",
               "width 1", "width side - 1", "width side", "width side + 1", "width larger",
               "one matrix for the batch", "constant matrices"},
              10);
}

// --- Flattened images ---

void check_flattened_product(Random& random, Hits& hits) {
  const bool quantized = random.chance(40);
  LayerCase layer(quantized ? ElementType::kInt8 : random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const std::int64_t k = size_about(config.array_rows, random);
  const std::int64_t n = size_about(config.array_cols, random);
  const Shape image{random.between(1, 3), k, random.between(1, 4), random.between(1, 4)};
  const std::int64_t flat = k * image[2] * image[3];
  ValueId y = graph::kNoValue;
  if (quantized) {
    // A 1 x 1 pool copies every pixel, so that the machine writes the image.
    const ValueId x =
        layer.builder.add(Op::kMaxPool, {layer.input(random_bytes(image, false, random))},
                          {{"kernel_shape", Ints{1, 1}}});
    const ByteWeights weights = random_byte_weights({flat, n}, {}, random);
    y = layer.builder.add(
        Op::kQLinearMatMul,
        {layer.builder.add(Op::kFlatten, {x}), layer.constant(random_scales({}, 0.05, random)),
         layer.constant(random_zero_point(false, random)), layer.constant(weights.elements),
         layer.constant(random_scales({}, 0.02, random)), layer.constant(weights.zero_point),
         layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(flat), random)),
         layer.constant(random_zero_point(false, random))});
  } else {
    const ValueId x = layer.through_machine(layer.input(random.tensor<float>(image, -8, 8)));
    y = layer.builder.add(Op::kMatMul, {layer.builder.add(Op::kFlatten, {x}),
                                        layer.constant(random.tensor<float>({flat, n}, -8, 8))});
  }
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, false);
  ++hits[quantized ? "int8" : "float"];
  ++hits["K " + size_class(k, config.array_rows)];
}

TEST(ProductPropertyTest, FlattenedImagesAreMultipliedAsTheyLie) {
  Hits hits;
  for_each_seed(hits, check_flattened_product);
  expect_hits(hits, {"int8", "float", "K 1", "K side - 1", "K side", "K side + 1", "K larger"}, 10);
}

// --- Integers ---

void check_integer_product(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Sizes sizes = random_sizes(config, 2, random);
  const bool a_unsigned = random.chance(40);
  const bool y_unsigned = random.chance(40);
  const bool requantized = random.chance(60);
  const Shape scale_shape = requantized && random.chance(50) ? Shape{sizes.n} : Shape{};
  const ByteWeights weights = random_byte_weights({sizes.k, sizes.n}, scale_shape, random);
  const ValueId a = layer.input(random_bytes(sizes.matrix(sizes.m, sizes.k), a_unsigned, random));
  const ValueId a_zero = layer.constant(random_zero_point(a_unsigned, random));
  const ValueId b = layer.constant(weights.elements);
  const ValueId b_zero = layer.constant(weights.zero_point);
  ValueId y = graph::kNoValue;
  if (requantized) {
    y = layer.builder.add(
        Op::kQLinearMatMul,
        {a, layer.constant(random_scales({}, 0.05, random)), a_zero, b,
         layer.constant(random_scales(scale_shape, 0.02, random)), b_zero,
         layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(sizes.k), random)),
         layer.constant(random_zero_point(y_unsigned, random))});
  } else {
    y = layer.builder.add(Op::kMatMulInteger, {a, b, a_zero, b_zero});
  }
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, false);
  count_product(config, sizes, outcome, hits);
  ++hits[a_unsigned ? "uint8 input" : "int8 input"];
  ++hits[requantized ? y_unsigned ? "uint8 output" : "int8 output" : "int32 output"];
  if (!scale_shape.empty()) ++hits["scales by column"];
  if (weights.elements.type() == DataType::kUint8) ++hits["uint8 weights"];
}

TEST(ProductPropertyTest, IntegerProductsHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_integer_product);
  expect_hits(
      hits,
      {"K 1",          "K side - 1",       "K side",         "K side + 1",       "K larger",
       "N 1",          "N side - 1",       "N side",         "N side + 1",       "N larger",
       "one matrix",   "several matrices", "several chunks", "uint8 input",      "int8 input",
       "uint8 output", "int8 output",      "int32 output",   "scales by column", "uint8 weights"},
      10);
}

}  // namespace
}  // namespace weft::compiler::testing
