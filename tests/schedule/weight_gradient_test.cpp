// Convolutions with computed weights, as in filter gradients, on random machines. Operands are
// whole numbers, so sums are exact.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

struct Window {
  Ints kernel, strides, dilations, pads;
};

Window random_window(std::size_t dims, Random& random) {
  Window window;
  window.pads.resize(2 * dims);
  for (std::size_t i = 0; i < dims; ++i) {
    window.kernel.push_back(random.between(1, 3));
    window.strides.push_back(random.between(1, 3));
    window.dilations.push_back(random.chance(70) ? 1 : 2);
    window.pads[i] = random.between(0, 2);
    window.pads[i + dims] = random.between(0, 2);
  }
  return window;
}

ValueId exchanged(LayerCase& layer, ValueId value) {
  Ints perm = {1, 0, 2, 3};
  perm.resize(layer.builder.type(value).shape.size());
  return layer.builder.add(Op::kTranspose, {value}, {{"perm", perm}});
}

/// Filter gradient of a convolution of x, where dy is the gradient of its result.
void check_gradient(Random& random, Hits& hits) {
  LayerCase layer(random.one_of({ElementType::kBf16, ElementType::kFp16}));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  // All rows of one column tile must fit in the buffer.
  config.unified_buffer_kib = std::max(config.unified_buffer_kib, 2U);
  const std::size_t dims = random.chance(75) ? 2 : 1;
  const Window window = random_window(dims, random);
  Shape x = {random.between(1, 3), size_about(config.array_rows, random)};
  Shape dy = {x[0], size_about(config.array_cols, random)};
  Attributes attributes = {{"strides", window.dilations}, {"dilations", window.strides}};
  Ints pads(2 * dims);
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t most = window.pads[i] + window.pads[i + dims];
    x.push_back(std::max<std::int64_t>(1, extent - most) + random.between(0, 4));
    const std::int64_t outputs = (x.back() + most - extent) / window.strides[i] + 1;
    dy.push_back(outputs);
    pads[i] = window.pads[i];
    // Up to the last tap of the last output, which may reach less far than the padding.
    pads[i + dims] = std::max<std::int64_t>(
        0, (outputs - 1) * window.strides[i] + extent - window.pads[i] - x.back());
  }
  attributes.set("pads", pads);
  ValueId image = layer.input(random.tensor<float>(x, -8, 8));
  ValueId gradient = layer.input(random.tensor<float>(dy, -8, 8));
  if (random.chance(50)) image = layer.through_machine(image);
  if (random.chance(50)) gradient = layer.through_machine(gradient);
  ValueId y = layer.builder.add(Op::kConv, {exchanged(layer, image), exchanged(layer, gradient)},
                                attributes);
  const bool leaves = random.chance(60);
  y = exchanged(layer, y);
  if (!leaves) y = layer.builder.add(Op::kNeg, {y});
  // A search may let some sheets pass through though they have room, where that is faster.
  const bool has_room = config.unified_buffer_kib == 512;
  MappingOptions mapping;
  if (has_room) mapping.effort = SearchEffort::kNone;
  const LayerOutcome outcome = run_layer(layer, y, config, mapping);
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  if (has_room) {
    EXPECT_FALSE(outcome.streamed) << "the buffer has room for the borders, too";
  }
  expect_exact(outcome, layer, !leaves);  // sums that leave the machine are 32-bit words
  ++hits[dims == 2 ? "images" : "lines"];
  ++hits[leaves ? "leaves" : "stays"];
  if (outcome.streamed) ++hits["streamed"];
  if (window.strides[0] > 1) ++hits["strides"];
  if (window.dilations[0] > 1) ++hits["dilations"];
  if (pads[0] > 0) ++hits["pads"];
  try_engines(outcome, layer, config, random, hits);
}

TEST(WeightGradientTest, GradientsOfFiltersAreExact) {
  Hits hits;
  for_each_seed(hits, check_gradient);
  expect_hits(
      hits,
      {"images", "lines", "leaves", "stays", "streamed", "strides", "dilations", "pads", "engines"},
      5);
}

}  // namespace
}  // namespace weft::compiler::testing
