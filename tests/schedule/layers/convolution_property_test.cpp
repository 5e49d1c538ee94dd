// Random float and quantized convolutions on random machines: bit-exact with the CPU reference.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

struct Convolution {
  Shape x;
  Shape w;
  Attributes attributes;
  std::int64_t groups = 1;
  std::string kind;

  std::int64_t taps() const {
    std::int64_t taps = w[1];
    for (std::size_t i = 2; i < w.size(); ++i) taps *= w[i];
    return taps;
  }
};

void choose_channels(const MachineConfig& config, Convolution& conv, Random& random) {
  // Few channels leave room for several taps.
  const std::int64_t k = random.chance(40) ? random.between(1, 1 + config.array_rows / 3)
                                           : size_about(config.array_rows, random);
  const std::int64_t n = size_about(config.array_cols, random);
  switch (random.between(0, 4)) {
    case 0:
      conv.kind = "depthwise";
      // More than one tile can be divided between the units.
      conv.groups = random.chance(50) ? config.array_cols + random.between(1, config.array_cols + 3)
                                      : std::max<std::int64_t>(2, k);
      conv.x[1] = conv.w[0] = conv.groups;
      conv.w[1] = 1;
      break;
    case 1:
      conv.kind = "groups";
      conv.groups = random.between(2, 4);
      conv.w[1] = random.between(1, 1 + k / 2);
      conv.x[1] = conv.groups * conv.w[1];
      conv.w[0] = conv.groups * random.between(1, 1 + n / 2);
      break;
    default:
      conv.kind = "dense";
      conv.x[1] = conv.w[1] = k;
      conv.w[0] = n;
  }
}

Convolution random_convolution(const MachineConfig& config, Random& random) {
  Convolution conv;
  const std::size_t dims = random.chance(80) ? 2 : 1;
  conv.x = conv.w = Shape(dims + 2, 1);
  conv.x[0] = random.between(1, 3);
  choose_channels(config, conv, random);
  Ints strides, dilations, pads(2 * dims);
  for (std::size_t i = 0; i < dims; ++i) {
    conv.w[i + 2] = random.between(1, 4);
    dilations.push_back(random.chance(75) ? 1 : 2);
    strides.push_back(random.between(1, 3));
    pads[i] = random.between(0, 2);
    pads[i + dims] = random.between(0, 2);
    const std::int64_t extent = (conv.w[i + 2] - 1) * dilations[i] + 1;
    conv.x[i + 2] = std::max<std::int64_t>(extent, random.between(1, 9));
  }
  conv.attributes = {{"strides", strides}, {"dilations", dilations}, {"group", conv.groups}};
  if (random.chance(15)) {
    conv.attributes.set("auto_pad", std::string(random.chance(50) ? "SAME_UPPER" : "SAME_LOWER"));
    conv.attributes.set("dilations", Ints(dims, 1));
  } else {
    conv.attributes.set("pads", pads);
  }
  return conv;
}

/// Packed taps or not, or what takes fewer folds or cycles.
MappingOptions random_packing(Random& random) {
  MappingOptions options{.effort = random_effort(random)};
  if (random.chance(60)) options.packed_taps = random.chance(70);
  if (random.chance(70)) options.form = random.one_of<std::size_t>({0, 1, 2, 2, 3});
  return options;
}

void count_convolution(const MachineConfig& config, const Convolution& conv,
                       const LayerOutcome& outcome, Hits& hits) {
  ++hits[conv.kind];
  if (conv.kind == "dense") {
    ++hits["inputs " + size_class(conv.x[1], config.array_rows)];
    ++hits["outputs " + size_class(conv.w[0], config.array_cols)];
  }
  for (const LayerInfo& layer : layers_of(outcome.program)) {
    if (layer.note.find("on the vector unit") != std::string::npos) ++hits["on the vector unit"];
    if (layer.note.find("on both units") != std::string::npos) ++hits["on both units"];
    if (layer.note.find("as diagonal tiles") != std::string::npos) ++hits["as diagonal tiles"];
    if (layer.chunks > 1) ++hits["several chunks"];
  }
  if (outcome.streamed) ++hits["streamed"];
  const bool packed = std::ranges::any_of(layers_of(outcome.program), [](const LayerInfo& layer) {
    return layer.note.find("side by side") != std::string::npos;
  });
  if (packed) ++hits[outcome.streamed ? "packed taps, streamed" : "packed taps"];
  if (packed && conv.x[0] > 1) ++hits["packed taps of several images"];
  const bool lines = std::ranges::any_of(layers_of(outcome.program), [](const LayerInfo& layer) {
    return layer.note.find("of a line side by side") != std::string::npos;
  });
  if (lines) ++hits[outcome.streamed ? "packed lines, streamed" : "packed lines"];
  if (lines && conv.kind == "depthwise") ++hits["packed lines of depthwise"];
  if (conv.x.size() == 3) ++hits["one dimension"];
  if (conv.attributes.has("auto_pad")) ++hits["auto_pad"];
}

// --- Float ---

void add_float_epilogue(LayerCase& layer, Convolution& conv, std::vector<ValueId>& inputs,
                        Random& random, Hits& hits) {
  inputs.resize(2);
  if (random.chance(60))
    inputs.push_back(layer.constant(random.tensor<float>({conv.w[0]}, -99, 99)));
  if (random.chance(30)) {
    inputs.resize(3, inputs.size() == 3 ? inputs.back() : graph::kNoValue);
    graph::Builder shape_of("shape");
    const ValueId x = shape_of.input("x", {DataType::kFloat32, conv.x});
    const ValueId w = shape_of.input("w", {DataType::kFloat32, conv.w});
    const Shape out = shape_of.type(shape_of.add(Op::kConv, {x, w}, conv.attributes)).shape;
    inputs.push_back(layer.input(random.tensor<float>(out, -99, 99)));
    ++hits["residual"];
  }
  if (random.chance(40)) {
    conv.attributes.set("activation", std::string("Relu"));
    ++hits["activation"];
  }
}

void check_float_convolution(Random& random, Hits& hits) {
  LayerCase layer(random.chance(70) ? ElementType::kBf16 : ElementType::kFp16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  Convolution conv = random_convolution(config, random);
  ValueId x = layer.input(random.tensor<float>(conv.x, -8, 8));
  if (random.chance(60)) x = layer.through_machine(x);
  std::vector<ValueId> inputs = {x, layer.constant(random.tensor<float>(conv.w, -8, 8))};
  add_float_epilogue(layer, conv, inputs, random, hits);
  ValueId y = layer.builder.add(Op::kConv, inputs, conv.attributes);
  const bool narrow = random.chance(60);
  if (narrow) y = layer.through_machine(y);
  const LayerOutcome outcome = run_layer(layer, y, config, random_packing(random));
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  // The result of a depthwise convolution is rounded, even if it goes to the host.
  expect_exact(outcome, layer, narrow || conv.kind == "depthwise");
  try_engines(outcome, layer, config, random, hits);
  count_convolution(config, conv, outcome, hits);
  ++hits[narrow ? "narrow result" : "wide result"];
}

TEST(ConvolutionPropertyTest, FloatConvolutionsOfWholeNumbersAreExact) {
  Hits hits;
  for_each_seed(hits, check_float_convolution);
  expect_hits(hits,
              {"dense",
               "groups",
               "depthwise",
               "inputs 1",
               "inputs side - 1",
               "inputs side",
               "inputs side + 1",
               "inputs larger",
               "outputs 1",
               "outputs side - 1",
               "outputs side",
               "outputs side + 1",
               "outputs larger",
               "on the vector unit",
               "on both units",
               "as diagonal tiles",
               "several chunks",
               "streamed",
               "packed taps",
               "packed taps, streamed",
               "packed taps of several images",
               "packed lines",
               "engines",
               "one dimension",
               "auto_pad",
               "residual",
               "activation",
               "narrow result",
               "wide result"},
              5);
  expect_hits(hits, {"packed lines, streamed", "packed lines of depthwise"}, 1);
}

// --- int8 ---

void check_quantized_convolution(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  Convolution conv = random_convolution(config, random);
  const bool x_unsigned = random.chance(40);
  const bool y_unsigned = random.chance(40);
  const Shape scale_shape = random.chance(60) ? Shape{conv.w[0]} : Shape{};
  const ByteWeights weights = random_byte_weights(conv.w, scale_shape, random);
  ValueId x = layer.input(random_bytes(conv.x, x_unsigned, random));
  if (random.chance(60)) {  // so that a layer has written it
    x = layer.builder.add(Op::kMaxPool, {x}, {{"kernel_shape", Ints(conv.x.size() - 2, 1)}});
  }
  std::vector<ValueId> inputs = {
      x,
      layer.constant(random_scales({}, 0.05, random)),
      layer.constant(random_zero_point(x_unsigned, random)),
      layer.constant(weights.elements),
      layer.constant(random_scales(scale_shape, 0.02, random)),
      layer.constant(weights.zero_point),
      layer.constant(random_scales({}, 0.05 * 0.02 * spread_of_sums(conv.taps()), random)),
      layer.constant(random_zero_point(y_unsigned, random))};
  if (random.chance(60)) {
    inputs.push_back(layer.constant(random.tensor<std::int32_t>({conv.w[0]}, -20000, 20000)));
    ++hits["bias"];
  }
  if (random.chance(30)) {
    conv.attributes.set("activation", std::string(random.chance(50) ? "Relu" : "Clip"));
    conv.attributes.set("activation_alpha", -1.5F);
    conv.attributes.set("activation_beta", 2.25F);
    ++hits["activation"];
  }
  const ValueId y = layer.builder.add(Op::kQLinearConv, inputs, conv.attributes);
  const LayerOutcome outcome = run_layer(layer, y, config, random_packing(random));
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
  try_engines(outcome, layer, config, random, hits);
  count_convolution(config, conv, outcome, hits);
  if (weights.elements.type() == DataType::kUint8) ++hits["uint8 weights"];
  ++hits[x_unsigned ? "uint8 input" : "int8 input"];
  ++hits[y_unsigned ? "uint8 output" : "int8 output"];
  ++hits[scale_shape.empty() ? "one scale" : "scales by channel"];
}

TEST(ConvolutionPropertyTest, QuantizedConvolutionsHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_quantized_convolution);
  expect_hits(hits,
              {"dense",
               "groups",
               "depthwise",
               "inputs 1",
               "inputs side - 1",
               "inputs side",
               "inputs side + 1",
               "inputs larger",
               "outputs 1",
               "outputs side - 1",
               "outputs side",
               "outputs side + 1",
               "outputs larger",
               "on the vector unit",
               "on both units",
               "as diagonal tiles",
               "several chunks",
               "streamed",
               "packed taps",
               "packed taps, streamed",
               "packed taps of several images",
               "packed lines",
               "engines",
               "one dimension",
               "auto_pad",
               "activation",
               "bias",
               "uint8 weights",
               "uint8 input",
               "int8 input",
               "uint8 output",
               "int8 output",
               "one scale",
               "scales by channel"},
              5);
  expect_hits(hits, {"packed lines, streamed", "packed lines of depthwise"}, 1);
}

void check_integer_convolution(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Convolution conv = random_convolution(config, random);
  const bool x_unsigned = random.chance(60);
  const ByteWeights weights = random_byte_weights(conv.w, {}, random);
  const bool has_zero_points = random.chance(70);
  std::vector<ValueId> inputs = {
      layer.input(random_bytes(conv.x, x_unsigned, random)),
      layer.constant(has_zero_points ? weights.elements
                                     : random.tensor<std::int8_t>(conv.w, -128, 127))};
  if (has_zero_points) {
    inputs.push_back(layer.constant(random_zero_point(x_unsigned, random)));
    inputs.push_back(layer.constant(weights.zero_point));
  }
  const ValueId y = layer.builder.add(Op::kConvInteger, inputs, conv.attributes);
  const LayerOutcome outcome = run_layer(layer, y, config, random_packing(random));
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, false);
  try_engines(outcome, layer, config, random, hits);
  count_convolution(config, conv, outcome, hits);
  if (weights.elements.type() == DataType::kUint8) ++hits["uint8 weights"];
  ++hits[has_zero_points ? "zero points" : "no zero points"];
}

TEST(ConvolutionPropertyTest, IntegerConvolutionsAreExact) {
  Hits hits;
  for_each_seed(hits, check_integer_convolution);
  expect_hits(hits,
              {"dense", "groups", "depthwise", "several chunks", "streamed", "one dimension",
               "auto_pad", "uint8 weights", "zero points", "no zero points"},
              5);
}

}  // namespace
}  // namespace weft::compiler::testing
