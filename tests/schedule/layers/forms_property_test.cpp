// Products and convolutions that need several tiles per weight, one matrix per product, or
// three-dimensional windows: bit-exact with the CPU reference, on random machines. Also Gemm and
// ConvTranspose in all forms, which optimize() rewrites for the machine: every layer is within the
// bounds of the check of `weft run`.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/passes/optimize.h"
#include "compiler/schedule/compile_network.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/network_check.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// Bytes over the whole range. The zero point is anywhere, often at an end of the range, so that
/// the differences fill -255 .. 255.
ByteWeights random_wide_weights(const Shape& shape, Random& random, Hits& hits) {
  const bool is_unsigned = random.chance(60);
  ByteWeights weights{random_bytes(shape, is_unsigned, random), {}};
  const std::int64_t low = is_unsigned ? 0 : -128;
  const std::int64_t zero =
      random.one_of<std::int64_t>({low, low, low + 255, low + 128, low + random.between(0, 255)});
  weights.zero_point = is_unsigned ? random.tensor<std::uint8_t>({}, zero, zero)
                                   : random.tensor<std::int8_t>({}, zero, zero);
  ++hits[is_unsigned ? "uint8 weights" : "int8 weights"];
  return weights;
}

void count_pieces(const LayerOutcome& outcome, Hits& hits) {
  for (const LayerInfo& layer : layers_of(outcome.program)) {
    const bool two = layer.note.find("2 tiles for each") != std::string::npos;
    const bool three = layer.note.find("3 tiles for each") != std::string::npos;
    ++hits[two ? "two pieces" : three ? "three pieces" : "one piece"];
    if (layer.chunks > 1) ++hits["several chunks"];
  }
  if (outcome.streamed) ++hits["streamed"];
}

// --- Products ---

Shape with_batch(Shape batch, std::int64_t rows, std::int64_t cols) {
  batch.insert(batch.end(), {rows, cols});
  return batch;
}

/// Drops some leading axes of `batch` and sets others to 1.
Shape broadcast_from(const Shape& batch, Random& random, Hits& hits) {
  Shape part(batch.begin() + random.between(0, static_cast<std::int64_t>(batch.size())),
             batch.end());
  for (std::int64_t& extent : part) {
    if (random.chance(20)) extent = 1;
  }
  if (part != batch) ++hits["broadcast"];
  return part;
}

void check_product(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const std::int64_t m = random.between(1, 60);
  const std::int64_t k = size_about(config.array_rows, random);
  const std::int64_t n = size_about(config.array_cols, random);
  Shape batch(static_cast<std::size_t>(random.between(0, 2)));
  for (std::int64_t& extent : batch) extent = random.between(1, 3);
  const bool a_whole = random.chance(60);
  const Shape a_batch = a_whole ? batch : broadcast_from(batch, random, hits);
  const Shape b_batch = a_whole ? broadcast_from(batch, random, hits) : batch;
  const bool a_unsigned = random.chance(50);
  const ValueId a = layer.input(random_bytes(with_batch(a_batch, m, k), a_unsigned, random));
  const ByteWeights weights = random_wide_weights(with_batch(b_batch, k, n), random, hits);
  const ValueId a_zero =
      layer.constant(random.chance(20) && !a_unsigned ? Tensor(DataType::kInt8, {})
                                                      : random_zero_point(a_unsigned, random));
  const ValueId b = layer.constant(weights.elements);
  const ValueId b_zero = layer.constant(weights.zero_point);
  const bool requantized = random.chance(60);
  ValueId y = graph::kNoValue;
  if (requantized) {
    y = layer.builder.add(
        Op::kQLinearMatMul,
        {a, layer.constant(random_scales({}, 0.05, random)), a_zero, b,
         layer.constant(random_scales({}, 0.02, random)), b_zero,
         layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(k), random)),
         layer.constant(random_zero_point(a_unsigned, random))});
  } else {
    y = layer.builder.add(Op::kMatMulInteger, {a, b, a_zero, b_zero});
  }
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, false);
  count_pieces(outcome, hits);
  ++hits[requantized ? "requantized" : "int32"];
  ++hits[graph::element_count(b_batch) > 1 ? "several matrices" : "one matrix"];
}

TEST(FormsPropertyTest, ProductsOfWideWeightsAndSeveralMatricesHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_product);
  expect_hits(
      hits,
      {"one piece", "two pieces", "three pieces", "one matrix", "several matrices", "broadcast",
       "requantized", "int32", "uint8 weights", "int8 weights", "streamed", "several chunks"},
      10);
}

// --- Convolutions ---

struct Convolution {
  Shape x;
  Shape w;
  Attributes attributes;
};

Convolution random_convolution(const MachineConfig& config, std::size_t dims, Random& random,
                               Hits& hits) {
  Convolution conv;
  const bool depthwise = random.chance(20);
  const std::int64_t k = size_about(config.array_rows, random);
  const std::int64_t n = depthwise ? k : size_about(config.array_cols, random);
  const std::int64_t groups = depthwise ? k : 1;
  if (depthwise) ++hits["depthwise"];
  conv.x = {random.between(1, 2), k};
  conv.w = {n, k / groups};
  Ints strides, dilations, pads(2 * dims);
  for (std::size_t i = 0; i < dims; ++i) {
    conv.w.push_back(random.between(1, 3));
    dilations.push_back(random.chance(75) ? 1 : 2);
    strides.push_back(random.between(1, 2));
    pads[i] = random.between(0, 2);
    pads[i + dims] = random.between(0, 2);
    const std::int64_t extent = (conv.w.back() - 1) * dilations[i] + 1;
    conv.x.push_back(std::max<std::int64_t>(extent, random.between(1, 6)));
    if (pads[i] > 0) ++hits["padding"];
  }
  conv.attributes = {
      {"strides", strides}, {"dilations", dilations}, {"pads", pads}, {"group", groups}};
  ++hits[std::to_string(dims) + " dimensions"];
  return conv;
}

std::int64_t taps(const Convolution& conv) {
  return graph::element_count({conv.w.begin() + 1, conv.w.end()});
}

void check_wide_convolution(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const auto dims = static_cast<std::size_t>(random.between(1, 3));
  const Convolution conv = random_convolution(config, dims, random, hits);
  const bool x_unsigned = random.chance(50);
  const ValueId x = layer.input(random_bytes(conv.x, x_unsigned, random));
  const ValueId x_zero = layer.constant(random_zero_point(x_unsigned, random));
  const ByteWeights weights = random_wide_weights(conv.w, random, hits);
  const ValueId w = layer.constant(weights.elements);
  const ValueId w_zero = layer.constant(weights.zero_point);
  const bool requantized = random.chance(60);
  ValueId y = graph::kNoValue;
  if (requantized) {
    std::vector<ValueId> inputs = {
        x,
        layer.constant(random_scales({}, 0.05, random)),
        x_zero,
        w,
        layer.constant(random_scales({}, 0.02, random)),
        w_zero,
        layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(taps(conv)), random)),
        layer.constant(random_zero_point(x_unsigned, random))};
    if (random.chance(50)) {
      inputs.push_back(layer.constant(random.tensor<std::int32_t>({conv.w[0]}, -9999, 9999)));
      ++hits["bias"];
    }
    y = layer.builder.add(Op::kQLinearConv, inputs, conv.attributes);
  } else {
    y = layer.builder.add(Op::kConvInteger, {x, w, x_zero, w_zero}, conv.attributes);
  }
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, false);
  count_pieces(outcome, hits);
  ++hits[requantized ? "requantized" : "int32"];
}

TEST(FormsPropertyTest, ConvolutionsOfWideWeightsHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_wide_convolution);
  expect_hits(hits,
              {"one piece", "two pieces", "three pieces", "1 dimensions", "2 dimensions",
               "3 dimensions", "depthwise", "padding", "bias", "requantized", "int32",
               "uint8 weights", "int8 weights", "streamed", "several chunks"},
              10);
}

void check_solid_convolution(Random& random, Hits& hits) {
  LayerCase layer(random.chance(70) ? ElementType::kBf16 : ElementType::kFp16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Convolution conv = random_convolution(config, 3, random, hits);
  ValueId x = layer.input(random.tensor<float>(conv.x, -8, 8));
  if (random.chance(40)) x = layer.through_machine(x);
  std::vector<ValueId> inputs = {x, layer.constant(random.tensor<float>(conv.w, -8, 8))};
  if (random.chance(60)) {
    inputs.push_back(layer.constant(random.tensor<float>({conv.w[0]}, -99, 99)));
    ++hits["bias"];
  }
  ValueId y = layer.builder.add(Op::kConv, inputs, conv.attributes);
  const bool narrow = random.chance(60);
  if (narrow) y = layer.through_machine(y);
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  // The result of a depthwise convolution is rounded, even if it goes to the host.
  const bool depthwise = layer_table(outcome.program).find("depthwise") != std::string::npos;
  expect_exact(outcome, layer, narrow || depthwise);
  count_pieces(outcome, hits);
}

// --- Gemm and ConvTranspose ---

ValueId add_gemm(LayerCase& layer, Random& random, Hits& hits) {
  const std::int64_t m = random.between(2, 20);
  const std::int64_t k = random.between(1, 20);
  const std::int64_t n = random.between(1, 20);
  const bool turned = random.chance(50);
  const Tensor a = random.reals(turned ? Shape{k, m} : Shape{m, k}, 1);
  std::vector<ValueId> inputs = {layer.input(a), layer.constant(random.reals({k, n}, 1))};
  const bool matrix = random.chance(60);
  const Tensor c = random.reals(matrix ? Shape{m, n} : Shape{m, 1}, 4);
  const bool constant = random.chance(50);
  inputs.push_back(constant ? layer.constant(c) : layer.input(c));
  ++hits[turned ? "transA" : "A as it lies"];
  ++hits[matrix ? "C matrix" : "C rows"];
  ++hits[constant ? "C constant" : "C computed"];
  return layer.builder.add(Op::kGemm, inputs,
                           {{"alpha", 0.7F}, {"beta", -1.3F}, {"transA", std::int64_t{turned}}});
}

ValueId add_transposed(LayerCase& layer, Random& random, Hits& hits) {
  const auto dims = static_cast<std::size_t>(random.between(1, 3));
  const std::int64_t groups = random.chance(70) ? 1 : 2;
  Shape x = {random.between(1, 2), groups * random.between(1, 6)};
  Shape w = {x[1], random.between(1, 6)};
  Ints strides;
  for (std::size_t i = 0; i < dims; ++i) {
    x.push_back(random.between(1, 6));
    w.push_back(random.between(1, 4));
    strides.push_back(random.between(1, 2));
  }
  ++hits[std::to_string(dims) + " dimensions"];
  ++hits[groups > 1 ? "groups" : "one group"];
  ++hits[std::ranges::count(strides, 1) == std::ssize(strides) ? "one phase" : "phases"];
  return layer.builder.add(Op::kConvTranspose,
                           {layer.input(random.reals(x, 1)), layer.constant(random.reals(w, 1))},
                           {{"strides", strides}, {"group", groups}});
}

void check_float_form(Random& random, Hits& hits) {
  LayerCase layer(random.chance(70) ? ElementType::kBf16 : ElementType::kFp16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  config.unified_buffer_kib = 512;
  ValueId y =
      random.chance(50) ? add_gemm(layer, random, hits) : add_transposed(layer, random, hits);
  if (random.chance(40)) y = layer.builder.add(Op::kRelu, {y});
  layer.builder.output(y, "y");
  const NetworkProgram program =
      compile_network(passes::optimize(layer.builder.finish(), reference::evaluate), config,
                      {.mapping = {.effort = random_effort(random)}});
  const runtime::NetworkRun run =
      runtime::run_network(program, config, layer.inputs, {.simulate = {}, .keep_results = true});
  EXPECT_GT(run.useful_macs, 0U) << layer_table(program);
  const runtime::NetworkCheck check = runtime::check_network(program, config, layer.inputs, run);
  EXPECT_FALSE(check.layers.empty());
  EXPECT_FALSE(check.mismatch) << *check.mismatch << "\n" << layer_table(program);
}

TEST(FormsPropertyTest, GemmAndConvTransposeAreWithinTheBoundsOfTheCheck) {
  Hits hits;
  for_each_seed(hits, check_float_form);
  expect_hits(
      hits,
      {"transA", "A as it lies", "C matrix", "C rows", "C constant", "C computed", "1 dimensions",
       "2 dimensions", "3 dimensions", "groups", "one group", "one phase", "phases"},
      10);
}

TEST(FormsPropertyTest, ConvolutionsOfThreeDimensionsAreExact) {
  Hits hits;
  for_each_seed(hits, check_solid_convolution);
  expect_hits(hits, {"3 dimensions", "depthwise", "padding", "bias", "streamed", "several chunks"},
              10);
}

}  // namespace
}  // namespace weft::compiler::testing
