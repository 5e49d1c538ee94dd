// The lower bound. Naive loops count what convolutions and products ask for. Small steps try how to
// divide a depthwise convolution between two units. No run may take fewer cycles than the bound.
#include "compiler/mapping/bound/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/mapping/bound/demand.h"
#include "compiler/schedule/network_bound.h"
#include "models/networks/networks.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::ValueId;

ValueId input(Builder& builder, const std::string& name, Shape shape) {
  return builder.input(name, {DataType::kFloat32, std::move(shape)});
}

// --- Demands -------------------------------------------------------------------------------------

struct RandomConv {
  std::int64_t images, groups, channels, filters;  // channels and filters of a group
  std::array<std::int64_t, 2> size, kernel, stride, dilation, pad_begin, pad_end;
  bool transposed;
};

RandomConv random_conv(Random& random) {
  RandomConv conv = {};
  conv.images = random.between(1, 2);
  conv.groups = random.chance(60) ? 1 : random.between(2, 3);
  conv.channels = random.between(1, 4);
  conv.filters = random.between(1, 4);
  conv.transposed = random.chance(40);
  for (std::size_t d = 0; d < 2; ++d) {
    conv.kernel[d] = random.between(1, 4);
    conv.stride[d] = random.between(1, 5);
    conv.dilation[d] = random.between(1, 3);
    conv.pad_begin[d] = conv.transposed ? 0 : random.between(0, 6);
    conv.pad_end[d] = conv.transposed ? 0 : random.between(0, 6);
    conv.size[d] = (conv.kernel[d] - 1) * conv.dilation[d] + random.between(1, 9);
  }
  return conv;
}

graph::Graph graph_of(const RandomConv& conv) {
  Builder builder("conv");
  const std::int64_t inputs = conv.groups * conv.channels;
  const std::int64_t outputs = conv.groups * conv.filters;
  const ValueId x = input(builder, "x", {conv.images, inputs, conv.size[0], conv.size[1]});
  const ValueId w =
      conv.transposed
          ? input(builder, "w", {inputs, conv.filters, conv.kernel[0], conv.kernel[1]})
          : input(builder, "w", {outputs, conv.channels, conv.kernel[0], conv.kernel[1]});
  graph::Attributes attributes;
  attributes.set("group", conv.groups);
  attributes.set("strides", std::vector<std::int64_t>{conv.stride[0], conv.stride[1]});
  attributes.set("dilations", std::vector<std::int64_t>{conv.dilation[0], conv.dilation[1]});
  attributes.set("pads", std::vector<std::int64_t>{conv.pad_begin[0], conv.pad_begin[1],
                                                   conv.pad_end[0], conv.pad_end[1]});
  builder.output(builder.add(conv.transposed ? Op::kConvTranspose : Op::kConv, {x, w}, attributes),
                 "y");
  return builder.finish();
}

/// Every product of the convolution, one by one.
struct Counted {
  std::map<std::vector<std::int64_t>, std::int64_t> results;  // products of each
  std::set<std::vector<std::int64_t>> inputs;
  std::set<std::vector<std::int64_t>> weights;
};

Counted counted(const RandomConv& conv, const Shape& y) {
  Counted found;
  const auto& size = conv.size;
  // A transposed convolution walks its input as windows and spreads them over its output.
  const std::int64_t windows_y = conv.transposed ? size[0] : y[2];
  const std::int64_t windows_x = conv.transposed ? size[1] : y[3];
  const std::int64_t sources_y = conv.transposed ? y[2] : size[0];
  const std::int64_t sources_x = conv.transposed ? y[3] : size[1];
  for (std::int64_t n = 0; n < conv.images; ++n)
    for (std::int64_t g = 0; g < conv.groups; ++g)
      for (std::int64_t c = 0; c < conv.channels; ++c)
        for (std::int64_t f = 0; f < conv.filters; ++f)
          for (std::int64_t wy = 0; wy < windows_y; ++wy)
            for (std::int64_t wx = 0; wx < windows_x; ++wx)
              for (std::int64_t ty = 0; ty < conv.kernel[0]; ++ty)
                for (std::int64_t tx = 0; tx < conv.kernel[1]; ++tx) {
                  const std::int64_t sy =
                      wy * conv.stride[0] + ty * conv.dilation[0] - conv.pad_begin[0];
                  const std::int64_t sx =
                      wx * conv.stride[1] + tx * conv.dilation[1] - conv.pad_begin[1];
                  if (sy < 0 || sy >= sources_y || sx < 0 || sx >= sources_x) continue;
                  const std::vector<std::int64_t> window = {wy, wx};
                  const std::vector<std::int64_t> source = {sy, sx};
                  const auto& in = conv.transposed ? window : source;
                  const auto& out = conv.transposed ? source : window;
                  ++found.results[{n, g, f, out[0], out[1]}];
                  found.inputs.insert({n, g, c, in[0], in[1]});
                  found.weights.insert({g, f, c, ty, tx});
                }
  return found;
}

TEST(BoundTest, CountsEveryProductOfAConvolutionOnce) {
  constexpr std::uint64_t kSeed = 20261122;
  std::cout << "seed " << kSeed << '\n';
  Random random(kSeed);
  int transposed = 0;
  for (int i = 0; i < 400; ++i) {
    const RandomConv conv = random_conv(random);
    const graph::Graph graph = graph_of(conv);
    const auto demand = contraction_demand(graph, graph.nodes.front());
    ASSERT_TRUE(demand);
    const Counted expected = counted(conv, graph.type(graph.outputs.front().value).shape);
    std::map<std::int64_t, double> sums;
    for (const auto& [result, products] : expected.results) sums[products] += 1;
    std::map<std::int64_t, double> found;
    for (const Sums& each : demand->sums) {
      if (each.depth > 0) found[each.depth] += each.count;
    }
    ASSERT_EQ(found, sums) << "convolution " << i;
    ASSERT_EQ(demand->first, static_cast<double>(expected.inputs.size())) << "convolution " << i;
    ASSERT_EQ(demand->second, static_cast<double>(expected.weights.size())) << "convolution " << i;
    ASSERT_EQ(demand->depthwise, conv.groups > 1 && conv.channels == 1);
    transposed += conv.transposed ? 1 : 0;
  }
  EXPECT_GT(transposed, 100);
}

TEST(BoundTest, OfAProductIsTheLargestOfFour) {
  constexpr std::uint64_t kSeed = 7;
  std::cout << "seed " << kSeed << '\n';
  Random random(kSeed);
  for (int i = 0; i < 300; ++i) {
    MachineConfig config = load_preset("tiny");
    config.array_rows = static_cast<std::uint32_t>(random.between(1, 40));
    config.array_cols = static_cast<std::uint32_t>(random.between(1, 40));
    config.memory_kind = MemoryKind::kIdeal;
    const auto size = [&] { return static_cast<std::uint64_t>(random.between(1, 300)); };
    const MatmulSpec spec = {size(), size(), size(), false, Activation::kNone};
    const std::uint64_t rows = config.array_rows;
    const std::uint64_t cols = config.array_cols;
    const std::uint64_t most = std::max(rows, cols);
    const std::uint64_t additions = (spec.k + rows - 1) / rows;
    const auto cycles = [](std::uint64_t work, std::uint64_t a_cycle) {
      return (work + a_cycle - 1) / a_cycle;
    };
    const std::uint64_t sums = cycles(spec.m * spec.n * additions, cols);
    const std::uint64_t larger = std::max(spec.k * spec.n, spec.m * spec.k);
    ASSERT_GE(sums, cycles(spec.m * spec.k * spec.n, rows * cols));
    // The first tile's pushes come before the sums, and are some of those that operands take.
    const std::uint64_t first = std::max(rows + sums, cycles(larger, most));
    const auto expected = static_cast<Cycle>(first + rows + cols - 2);
    ASSERT_EQ(lower_bound(spec, config).cycles, expected)
        << spec.m << " x " << spec.k << " x " << spec.n << " on " << rows << " x " << cols;
  }
}

// --- Two units -----------------------------------------------------------------------------------

/// One depthwise convolution of `channels` channels, then `functions` functions that need a pass
/// each.
graph::Graph depthwise(std::int64_t channels, int functions) {
  Builder builder("depthwise");
  const ValueId x = input(builder, "x", {1, channels, 8, 8});
  const ValueId w = input(builder, "w", {channels, 1, 3, 3});
  graph::Attributes attributes;
  attributes.set("group", channels);
  ValueId y = builder.add(Op::kConv, {x, w}, attributes);
  for (int i = 0; i <= functions; ++i) y = builder.add(Op::kTanh, {y});
  builder.output(y, "y");
  return builder.finish();
}

// Of 6 x 6 results for each channel, part p is computed on the vector unit.
TEST(BoundTest, ADepthwiseConvolutionIsDividedAtBest) {
  for (const std::uint32_t rows : {4U, 8U, 9U, 16U}) {
    for (const int functions : {0, 1, 5}) {
      MachineConfig config = load_preset("tiny");
      config.array_rows = rows;
      config.array_cols = 4;
      config.memory_kind = MemoryKind::kIdeal;
      const double results = 6 * 6 * 32 / 4.0;  // in rows of four lanes
      const int additions = static_cast<int>((9 + rows - 1) / rows);
      double best = INFINITY;
      // Whole additions of each result move, the last one first, and a share of the next one.
      for (int moved = 0; moved < additions; ++moved) {
        for (int step = 0; step <= 1000; ++step) {
          const double share = step / 1000.0;
          const double array = results * (additions - moved - share);
          const auto products_until = [&](int count) {
            return count == 0 ? 0.0 : 9.0 - static_cast<double>(rows) * (additions - count);
          };
          const double products =
              products_until(moved) + share * (products_until(moved + 1) - products_until(moved));
          const double drained = moved + 1 == additions ? 1 - share : 1;
          const double vector = results * (functions + products + drained);
          best = std::min(best, std::max(array, vector));
        }
      }
      const Bound bound = lower_bound(depthwise(32, functions), {}, config);
      EXPECT_LE(static_cast<double>(bound.cycles), std::ceil(best)) << rows << ", " << functions;
      EXPECT_GE(static_cast<double>(bound.cycles), best - results / 100)
          << rows << ", " << functions;
    }
  }
}

// --- Runs ----------------------------------------------------------------------------------------

/// Most random machines are bound by their array. Of many, returns the one whose bound comes from
/// the unit that was seen least so far.
MachineConfig machine_of_rarest_bound(const graph::Graph& graph, ElementType dtype, Random& random,
                                      const std::map<BoundBy, int>& seen) {
  const auto times_seen = [&](const MachineConfig& config) {
    const auto found = seen.find(lower_bound(graph, {}, config).by);
    return found == seen.end() ? 0 : found->second;
  };
  MachineConfig rarest = random_machine(random, dtype);
  int least = times_seen(rarest);
  for (int i = 0; i < 50 && least > 0; ++i) {
    const MachineConfig config = random_machine(random, dtype);
    const int times = times_seen(config);
    if (times >= least) continue;
    rarest = config;
    least = times;
  }
  return rarest;
}

TEST(BoundTest, NoRunOfASmallNetworkTakesFewerCycles) {
  constexpr std::uint64_t kSeed = 16;
  std::cout << "seed " << kSeed << '\n';
  Random random(kSeed);
  std::map<BoundBy, int> by;
  for (const SmallNetwork& network : small_networks()) {
    for (const ElementType dtype : {ElementType::kBf16, ElementType::kInt8}) {
      const graph::Graph built = network.build();
      const graph::Graph graph = dtype == ElementType::kInt8 ? quantized(built) : prepared(built);
      for (std::uint64_t i = 0; i < draws(4, 12); ++i) {
        const MachineConfig config = machine_of_rarest_bound(graph, dtype, random, by);
        const ScheduledNetwork scheduled = schedule_network(graph, config);
        const runtime::NetworkRun run = runtime::time_network(scheduled, config);
        ASSERT_TRUE(run.bound);
        EXPECT_GE(run.total, run.bound->cycles)
            << network.name << ", machine " << i << ", by " << to_string(run.bound->by);
        ++by[run.bound->by];
      }
    }
  }
  for (const BoundBy unit :
       {BoundBy::kArray, BoundBy::kVectorUnit, BoundBy::kMemory, BoundBy::kHostLink}) {
    EXPECT_GE(by[unit], 3) << to_string(unit);
  }
}

TEST(BoundTest, NoRunOfABuiltInNetworkTakesFewerCycles) {
  for (const char* name : {"lenet5", "resnet18", "mobilenetv2", "vit-s", "lstm", "mlp0"}) {
    for (const char* preset : {"tpu-v1", "tpu-v2", "edge-tpu"}) {
      const MachineConfig config = load_preset(preset);
      const runtime::NetworkSchedule scheduled =
          runtime::schedule(networks::build_network(name), config);
      const runtime::NetworkRun run = runtime::time_network(scheduled.network, config);
      EXPECT_GE(run.total, run.bound->cycles) << name << " on " << preset;
      EXPECT_GT(run.bound->cycles, 0) << name << " on " << preset;
    }
  }
}

}  // namespace
}  // namespace weft::compiler::testing
