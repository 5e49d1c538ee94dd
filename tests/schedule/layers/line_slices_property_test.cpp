// Random blocks of three convolutions between which the channels of joined lines lie in slices:
// bit-exact with the CPU reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// A convolution of the block, drawn without its elements.
struct Filters {
  Shape shape;  // [filters, channels of a group, y, x]
  std::int64_t groups = 1;
  std::int64_t stride = 1;

  /// Keeps the size of the image, or halves it.
  Attributes attributes() const {
    const auto before = [&](std::size_t axis) { return (shape[axis] - 1) / 2; };
    const auto after = [&](std::size_t axis) { return shape[axis] - 1 - before(axis); };
    return {{"pads", Ints{before(2), before(3), after(2), after(3)}},
            {"strides", Ints{stride, stride}},
            {"group", groups}};
  }
};

/// Few channels, then more than a tile has columns, then few again. The middle convolution is
/// depthwise, has two groups, or is dense.
std::vector<Filters> random_block(std::int64_t channels, std::int64_t columns, Random& random,
                                  Hits& hits) {
  const auto kernel = [&] { return random.chance(60) ? 3 : random.between(1, 3); };
  const auto stride = [&] { return random.chance(70) ? 1 : 2; };
  const std::int64_t wide = 2 * random.between(columns / 4 + 1, columns + 2);
  Filters first{{wide, channels, 1, 1}};
  if (random.chance(30)) first.shape[2] = first.shape[3] = kernel();
  Filters middle{{wide, 1, kernel(), kernel()}, wide, stride()};
  if (random.chance(20)) {
    middle.shape[1] = wide / 2;
    middle.groups = 2;
    ++hits["groups"];
  } else if (random.chance(20)) {
    middle.shape = {random.between(columns / 2 + 1, 2 * columns), wide, 1, 1};
    middle.groups = 1;
  }
  if (middle.groups == wide && middle.stride == 2) ++hits["stride"];
  return {first, middle, {{random.between(1, 4), middle.shape[0], 1, 1}}};
}

Shape random_image(Random& random) {
  const std::int64_t lines = random.chance(60) ? 4 * random.between(2, 4) : random.between(5, 18);
  return {random.between(1, 3), random.between(1, 3), lines, random.between(4, 12)};
}

/// Weights of 0, except `count` in each filter, which are -1 or 1.
Tensor sparse(const Shape& shape, std::int64_t count, Random& random) {
  Tensor tensor(DataType::kFloat32, shape);
  const std::span<float> data = tensor.mutable_data<float>();
  const std::int64_t each = shape[1] * shape[2] * shape[3];
  for (std::int64_t filter = 0; filter < shape[0]; ++filter) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = filter * each + random.between(0, each - 1);
      data[static_cast<std::size_t>(at)] = random.chance(50) ? 1.0F : -1.0F;
    }
  }
  return tensor;
}

MachineConfig machine_for(ElementType dtype, Random& random) {
  MachineConfig config = random_layer_machine(dtype, random);
  config.array_cols = static_cast<std::uint32_t>(2 * random.between(2, 6));
  config.array_rows = random.chance(60)   ? config.array_cols
                      : random.chance(60) ? 2 * config.array_cols
                                          : config.array_cols / 2;
  return config;
}

void count_slices(const LayerOutcome& outcome, Hits& hits) {
  for (const LayerInfo& layer : layers_of(outcome.program)) {
    const auto has = [&](const char* part) { return layer.note.find(part) != std::string::npos; };
    if (!layer.folds) continue;
    const ImageLines& in = layer.folds->in;
    const ImageLines& out = layer.folds->out;
    if (in.slice == 0 && out.slice == 0) continue;
    ++hits["slices"];
    if (in.slice > 0 && out.slice > 0 && layer.folds->groups > 2) ++hits["depthwise slices"];
    if (out.slice > 0 && out.slice_lanes(1) < out.pitch) ++hits["lanes without a line"];
    if (out.slice > 0 && layer.folds->filters % out.slice != 0) ++hits["a last slice in part"];
    if (out.slice > 0 && has("padded by")) ++hits["padded slices"];
  }
}

void check(LayerCase& layer, ValueId y, MachineConfig& config, Random& random, Hits& hits) {
  MappingOptions options;
  options.joined_lines = true;
  options.effort = random_effort(random);
  if (random.chance(50)) options.depthwise_on_vector_unit = false;
  const LayerOutcome outcome = run_layer(layer, y, config, options);
  expect_exact(outcome, layer, true);
  expect_exact_layers(outcome, layer, config);
  try_engines(outcome, layer, config, random, hits);
  count_slices(outcome, hits);
  if (outcome.streamed) ++hits["streamed"];
}

constexpr std::initializer_list<const char*> kSeen = {"slices",
                                                      "depthwise slices",
                                                      "lanes without a line",
                                                      "a last slice in part",
                                                      "padded slices",
                                                      "groups",
                                                      "stride",
                                                      "streamed",
                                                      "engines"};

constexpr std::uint64_t kBlocks = 240;

/// Whole numbers below 2^8, which bf16 holds exactly: at most 2 * 2 + 1, then 9 * 5 + 1, then
/// 4 * 46 + 1.
void check_block(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = machine_for(layer.dtype, random);
  const Shape image = random_image(random);
  ValueId value = layer.input(random.tensor<float>(image, -2, 2));
  const std::int64_t most[] = {2, 9, 4};
  std::size_t number = 0;
  for (const Filters& filters : random_block(image[1], config.array_cols, random, hits)) {
    std::vector<ValueId> inputs = {value,
                                   layer.constant(sparse(filters.shape, most[number++], random))};
    if (random.chance(50)) {
      inputs.push_back(layer.constant(random.tensor<float>({filters.shape[0]}, -1, 1)));
    }
    Attributes attributes = filters.attributes();
    if (random.chance(50)) attributes.set("activation", std::string("Relu"));
    value = layer.builder.add(Op::kConv, inputs, attributes);
  }
  check(layer, layer.through_machine(value), config, random, hits);
}

TEST(LineSlicesPropertyTest, BlocksOfWholeNumbersAreExact) {
  Hits hits;
  for_each_seed(hits, check_block, kBlocks);
  expect_hits(hits, kSeen, 1);
}

void check_quantized_block(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = machine_for(layer.dtype, random);
  const Shape image = random_image(random);
  const bool is_unsigned = random.chance(40);
  ValueId value = layer.input(random_bytes(image, is_unsigned, random));
  Tensor zero = random_zero_point(is_unsigned, random);
  for (const Filters& filters : random_block(image[1], config.array_cols, random, hits)) {
    const Shape& shape = filters.shape;
    const Shape scales = random.chance(60) ? Shape{shape[0]} : Shape{};
    const ByteWeights weights = random_byte_weights(shape, scales, random);
    const double spread = spread_of_sums(shape[1] * shape[2] * shape[3]);
    std::vector<ValueId> inputs = {value,
                                   layer.constant(random_scales({}, 0.05, random)),
                                   layer.constant(zero),
                                   layer.constant(weights.elements),
                                   layer.constant(random_scales(scales, 0.02, random)),
                                   layer.constant(weights.zero_point),
                                   layer.constant(random_scales({}, 0.05 * 0.02 * spread, random))};
    // What pads the image is then no zero of the layer that wrote it.
    if (!random.chance(10)) zero = random_zero_point(is_unsigned, random);
    inputs.push_back(layer.constant(zero));
    if (random.chance(10)) zero = random_zero_point(is_unsigned, random);
    if (random.chance(50)) {
      inputs.push_back(layer.constant(random.tensor<std::int32_t>({shape[0]}, -20000, 20000)));
    }
    value = layer.builder.add(Op::kQLinearConv, inputs, filters.attributes());
  }
  check(layer, value, config, random, hits);
}

TEST(LineSlicesPropertyTest, QuantizedBlocksHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_quantized_block, kBlocks);
  expect_hits(hits, kSeen, 1);
}

/// The host cannot read slices: copies take the lines apart first. The last convolution runs there,
/// since its bias is no constant.
TEST(LineSlicesTest, TheHostReadsAnImageInSlices) {
  Random random(1);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = machine_for(layer.dtype, random);
  config.array_rows = 24;  // only tiles of a square array are divided between both units
  config.array_cols = 12;
  const ValueId image = layer.input(random.tensor<float>({1, 2, 24, 20}, -2, 2));
  const ValueId wide =
      layer.builder.add(Op::kConv, {image, layer.constant(sparse({18, 2, 1, 1}, 2, random))});
  const Filters depthwise{{18, 1, 3, 3}, 18};
  const ValueId y = layer.builder.add(Op::kConv,
                                      {wide, layer.constant(sparse(depthwise.shape, 9, random)),
                                       layer.input(random.tensor<float>({18}, -1, 1))},
                                      depthwise.attributes());
  MappingOptions options;
  options.joined_lines = true;
  options.effort = SearchEffort::kNone;
  const LayerOutcome outcome = run_layer(layer, y, config, options);
  EXPECT_FALSE(outcome.on_machine);
  const auto layers = layers_of(outcome.program);
  ASSERT_EQ(layers.size(), 2U) << layer_table(outcome.program);
  EXPECT_GT(layers[0].folds->out.slice, 0) << layer_table(outcome.program);
  EXPECT_NE(layers[1].note.find("taken apart"), std::string::npos) << layers[1].note;
  expect_exact(outcome, layer, true);
}

}  // namespace
}  // namespace weft::compiler::testing
