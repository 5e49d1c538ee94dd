// The bound of a layer's own work: the formulas of docs/bounds.md written out for single layers,
// and which nodes of a network a layer counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/schedule/network_bound.h"
#include "models/networks/networks.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::Op;
using graph::ValueId;

/// 4 x 4, so that the formulas have small numbers.
MachineConfig tiny(ElementType dtype) {
  MachineConfig config = load_preset("tiny");
  config.dtype = dtype;
  return config;
}

/// x [rows, 10] times constants [10, 6], a function, and a Softmax.
graph::Graph three_layers(std::int64_t rows) {
  Builder builder("layers");
  const ValueId x = builder.input("x", {graph::DataType::kFloat32, {rows, 10}});
  const ValueId w =
      builder.constant(graph::Tensor::of<float>({10, 6}, std::vector<float>(60, 0.25F)), "w");
  const ValueId product = builder.add(Op::kMatMul, {x, w}, {}, "product");
  const ValueId positive = builder.add(Op::kRelu, {product}, {}, "relu");
  builder.output(builder.add(Op::kSoftmax, {positive}, {}, "softmax"), "y");
  return builder.finish();
}

std::map<std::string, WorkBound> bounds_of(const graph::Graph& graph, const MachineConfig& config) {
  const ScheduledNetwork network = schedule_network(graph, config);
  const runtime::NetworkRun run = runtime::time_network(network, config);
  std::map<std::string, WorkBound> bounds;
  for (const runtime::LayerRun& layer : run.layers) bounds[layer.info.name] = layer.bound;
  return bounds;
}

TEST(LayerBoundTest, CountsSumsOfAProductWithManyRows) {
  const auto bounds = bounds_of(prepared(three_layers(100)), tiny(ElementType::kBf16));
  // 100 rows of 6 sums, each of ceil(10 / 4) additions, 4 a cycle. 1,000 elements take less.
  const WorkBound& product = bounds.at("product");
  EXPECT_DOUBLE_EQ(product.array, 100 * 6 * 3 / 4.0);
  EXPECT_DOUBLE_EQ(product.vector, 100 * 6 / 4.0);
  EXPECT_EQ(product.cycles, 450);
  EXPECT_EQ(product.by, BoundBy::kArray);
}

TEST(LayerBoundTest, CountsOperandsOfAProductWithOneRow) {
  const auto bounds = bounds_of(prepared(three_layers(1)), tiny(ElementType::kBf16));
  // 60 weights enter 4 at a time; the sums need 1 * 6 * 3 / 4 cycles.
  EXPECT_DOUBLE_EQ(bounds.at("product").array, 60 / 4.0);
  EXPECT_EQ(bounds.at("product").cycles, 15);
}

TEST(LayerBoundTest, CountsLanesOfALayerOnTheVectorUnit) {
  const auto bounds = bounds_of(prepared(three_layers(100)), tiny(ElementType::kBf16));
  // A lane for each quotient, and one for each exponential: Relu has used the function of the pass.
  const WorkBound& softmax = bounds.at("softmax");
  EXPECT_DOUBLE_EQ(softmax.array, 0);
  EXPECT_DOUBLE_EQ(softmax.vector, 2 * 600 / 4.0);
  EXPECT_EQ(softmax.cycles, 300);
  EXPECT_EQ(softmax.by, BoundBy::kVectorUnit);
}

// No operand is shared in these networks, so the layers have all cycles of the array but those of
// the begin and the end. Quantized layers count the products that went into them.
TEST(LayerBoundTest, LayersHaveTheWorkOfTheNetwork) {
  for (const char* name : {"lenet5", "resnet18", "mobilenetv2", "vit-s"}) {
    for (const char* preset : {"tpu-v1", "tpu-v2"}) {
      SCOPED_TRACE(std::string(name) + " on " + preset);
      const MachineConfig config = load_preset(preset);
      MappingOptions options;
      options.effort = SearchEffort::kNone;
      const ScheduledNetwork network =
          runtime::schedule(networks::build_network(name), config, nullptr, options).network;
      double array = 0;
      double vector = 0;
      for (const WorkBound& layer : layer_bounds(network, config)) {
        array += layer.array;
        vector += layer.vector;
      }
      const Bound bound = lower_bound(network, config);
      const double ends = config.array_rows + config.array_cols - 2;
      EXPECT_LE(array + ends, bound.array * (1 + 1e-9));
      EXPECT_GE(array + ends + config.array_rows, bound.array * (1 - 1e-9));
      EXPECT_NEAR(vector, bound.vector, 1e-6 * bound.vector);
    }
  }
}

}  // namespace
}  // namespace weft::compiler::testing
