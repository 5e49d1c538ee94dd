// More capacity never costs cycles: the search of a machine also tries what it would choose for
// machines with less. Transfers that share one channel may hinder each other, so only memories
// without such a channel promise it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/product/map_product.h"
#include "compiler/schedule/segment/schedule_segment.h"
#include "compiler/schedule/segment/smaller_machines.h"
#include "runtime/network_timing.h"
#include "runtime/workload/network_conv.h"
#include "sim/timing/analytic.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

struct Case {
  graph::Graph graph;
  MachineConfig config;
};

/// A small network on a random machine, whose capacities are powers of two. With `large_array` its
/// programs are short enough for the search of all smaller machines.
Case random_case(std::uint64_t seed, bool large_array) {
  Random random(seed);
  MachineConfig config = random_machine(random, ElementType::kBf16);
  if (large_array) {
    config.array_rows = static_cast<std::uint32_t>(random.one_of({64, 128}));
    config.array_cols = static_cast<std::uint32_t>(random.one_of({64, 128}));
  }
  config.accumulator_rows = static_cast<std::uint32_t>(random.one_of({64, 128, 256, 512}));
  if (large_array) config.accumulator_rows = std::max(config.accumulator_rows, config.array_rows);
  config.unified_buffer_kib = static_cast<std::uint32_t>(random.one_of({32, 64, 128, 256}));
  config.weight_fifo_tiles = static_cast<std::uint32_t>(random.one_of({1, 2, 4}));
  const SmallNetwork& network = small_networks()[seed % small_networks().size()];
  return {prepared(network.build()), config};
}

struct Growth {
  std::string what;
  std::function<void(MachineConfig&)> grow;
};

const std::vector<Growth>& growths() {
  static const std::vector<Growth> all = {
      {"unified buffer", [](MachineConfig& config) { config.unified_buffer_kib *= 2; }},
      {"accumulators", [](MachineConfig& config) { config.accumulator_rows *= 2; }},
      {"weight FIFO", [](MachineConfig& config) { config.weight_fifo_tiles *= 2; }},
  };
  return all;
}

Cycle cycles(const ScheduledNetwork& network, const MachineConfig& config) {
  return runtime::time_network(network, config).total;
}

bool all_short(const ScheduledNetwork& network, const MachineConfig& config) {
  return std::ranges::all_of(network.steps, [&](const auto& step) {
    const auto* program = std::get_if<ScheduledSegment>(&step);
    return program == nullptr || tries_smaller_machines(program->segment, config);
  });
}

Cycle product_cycles(const MatmulSpec& spec, const MachineConfig& config) {
  std::uint64_t left = std::uint64_t{1} << 40U;
  return analytic_total(config, *matmul_stream(map_product(spec, config), config), left).value();
}

/// Cycles before and after growths.
struct Tally {
  int cases = 0;
  int rises = 0;
  int falls = 0;
  double worst = 1;

  void add(Cycle before, Cycle after) {
    ++cases;
    rises += after > before ? 1 : 0;
    falls += after < before ? 1 : 0;
    worst = std::max(worst, static_cast<double>(after) / static_cast<double>(before));
  }
  void print(const char* what) const {
    std::cout << what << ": " << cases << " cases, " << rises << " rises, " << falls
              << " falls, worst " << worst << '\n';
  }
};

struct Tallies {
  Tally short_ones;
  Tally long_ones;
};

Tallies tally(std::uint64_t seeds, bool large_array, std::initializer_list<MemoryKind> kinds) {
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  Tallies all;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Case each = random_case(seed, large_array);
    each.config.memory_kind = kinds.begin()[seed % kinds.size()];
    std::optional<ScheduledNetwork> network;
    try {
      network = schedule_network(each.graph, each.config);
    } catch (const ConfigError&) {
      continue;  // the buffer is too small for a layer
    }
    const Cycle before = cycles(*network, each.config);
    const bool is_short = all_short(*network, each.config);
    for (const Growth& growth : growths()) {
      MachineConfig larger = each.config;
      growth.grow(larger);
      const Cycle after = cycles(schedule_network(each.graph, larger), larger);
      if (after > before) {
        std::cout << "seed " << seed << (is_short ? ", short, " : ", ") << growth.what << ": "
                  << before << " to " << after << '\n';
      }
      (is_short ? all.short_ones : all.long_ones).add(before, after);
    }
  }
  all.short_ones.print("short programs");
  all.long_ones.print("others");
  return all;
}

TEST(CapacityTest, MoreNeverCostsAShortProgramCycles) {
  const Tallies all = tally(draws(12, 25), true, {MemoryKind::kIdeal, MemoryKind::kSplit});
  EXPECT_EQ(all.short_ones.rises, 0);
  EXPECT_GT(all.short_ones.cases, 15);
  EXPECT_GT(all.short_ones.falls, 5);
  EXPECT_LE(all.long_ones.worst, 1.1);
}

/// For longer programs only some smaller machines are searched, so more capacity may cost cycles.
TEST(CapacityTest, MoreCostsALongerProgramLittle) {
  const Tallies all = tally(draws(8, 20), false, {MemoryKind::kIdeal, MemoryKind::kSplit});
  EXPECT_LE(all.long_ones.worst, 1.1);
  EXPECT_LE(5 * all.long_ones.rises, all.long_ones.cases);
}

TEST(CapacityTest, MoreCostsLittleOnASharedMemory) {
  const Tallies all = tally(draws(5, 10), true, {MemoryKind::kShared});
  EXPECT_LE(all.short_ones.worst, 1.03);
  EXPECT_LE(all.long_ones.worst, 1.1);
}

/// Buffers in which the images of a network do not fit, each twice as large as the one before.
TEST(CapacityTest, MoreBufferCostsLargeImagesLittle) {
  const std::uint64_t seeds = draws(12, 60);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  Tally all;
  int too_small = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Case each = random_case(seed, false);
    if (small_networks()[seed % small_networks().size()].name == "lstm") continue;  // no images
    each.config.memory_kind = seed % 2 == 0 ? MemoryKind::kIdeal : MemoryKind::kSplit;
    std::optional<Cycle> before;
    for (const std::uint32_t kib : {4U, 8U, 16U, 32U}) {
      each.config.unified_buffer_kib = kib;
      try {
        const ScheduledNetwork network = schedule_network(each.graph, each.config);
        const Cycle now = cycles(network, each.config);
        if (before) all.add(*before, now);
        if (before && now > *before) {
          std::cout << "seed " << seed << ", " << kib << " KiB: " << *before << " to " << now
                    << '\n';
        }
        before = now;
        for (const auto& step : network.steps) {
          const auto* program = std::get_if<ScheduledSegment>(&step);
          if (program == nullptr || !program->choices) continue;
          too_small += fits_buffer(program->segment, program->schedule) ? 0 : 1;
        }
      } catch (const ConfigError&) {
        continue;  // too small for a layer
      }
    }
  }
  all.print("buffers");
  std::cout << too_small << " programs whose images do not fit\n";
  EXPECT_LE(all.worst, 1.05);
  EXPECT_GT(too_small, 10);
}

/// The same program, with faster memories.
TEST(CapacityTest, BandwidthNeverCostsAProgramCycles) {
  const std::uint64_t seeds = draws(15, 30);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::uint64_t falls = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MachineConfig config = random_machine(random, ElementType::kBf16);
    config.memory_kind = random.one_of({MemoryKind::kIdeal, MemoryKind::kSplit});
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    const ScheduledNetwork scheduled = schedule_network(prepared(network.build()), config);
    const Cycle before = runtime::time_network(scheduled, config).total;
    MachineConfig faster = config;
    faster.memory_bytes_per_s *= random.one_of({1UL, 2UL, 7UL});
    faster.host_bytes_per_s *= random.one_of({1UL, 2UL, 7UL});
    const Cycle after = runtime::time_network_on(scheduled, config, faster).total;
    EXPECT_LE(after, before);
    falls += after < before ? 1U : 0U;
  }
  EXPECT_GT(6 * falls, seeds);
}

/// A small convolution on a small machine with a split memory.
Case random_convolution(std::uint64_t seed) {
  Random random(seed);
  runtime::ConvSpec spec;
  spec.input = {1, random.one_of<std::int64_t>({1, 2, 3, 4, 8, 16}), random.between(6, 20),
                random.between(6, 20)};
  spec.filters = random.between(1, 64);
  spec.kernel.fill(random.one_of<std::int64_t>({1, 3, 5}));
  MachineConfig config = load_preset("tiny");
  config.dtype = ElementType::kBf16;
  config.array_rows = random.one_of({4U, 8U, 16U, 32U});
  config.array_cols = random.one_of({4U, 8U, 16U, 32U});
  config.accumulator_rows = std::max(config.array_rows, random.one_of({16U, 32U, 64U, 128U}));
  config.unified_buffer_kib = random.one_of({8U, 16U, 32U, 64U});
  config.weight_fifo_tiles = random.one_of({1U, 2U, 4U});
  config.memory_kind = MemoryKind::kSplit;
  return {runtime::conv_graph(spec, config.dtype, seed), config};
}

/// Each rate is searched anew, so that another program may be chosen.
TEST(CapacityTest, TwiceTheBandwidthCostsASmallConvolutionLittle) {
  const std::uint64_t seeds = draws(8, 60);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  Tally all;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Case each = random_convolution(seed);
    const auto rate =
        seed % 2 == 0 ? &MachineConfig::memory_bytes_per_s : &MachineConfig::host_bytes_per_s;
    std::optional<Cycle> before;
    for (each.config.*rate = 250'000'000; each.config.*rate <= 8'000'000'000;
         each.config.*rate *= 2) {
      const Cycle now = cycles(schedule_network(each.graph, each.config), each.config);
      if (before) all.add(*before, now);
      if (before && now > *before) {
        std::cout << "seed " << seed << ", " << each.config.*rate << " B/s: " << *before << " to "
                  << now << '\n';
      }
      before = now;
    }
  }
  all.print("rates");
  EXPECT_LE(all.worst, 1.05);
  EXPECT_LE(20 * all.rises, all.cases);
  EXPECT_GT(2 * all.falls, all.cases);
}

/// Twice the memory rate of these convolutions cost 23, 45, 45 and 79 % before short programs were
/// searched with more replays and with what slower memories lead to.
TEST(CapacityTest, TwiceTheBandwidthCostsLittleWhereItOnceCostAHalf) {
  struct Hard {
    runtime::ConvSpec spec;
    ElementType dtype;
    std::uint32_t rows, cols, kib, accumulators, tiles;
    std::uint64_t bytes_per_s;
  };
  const auto conv = [](graph::Shape input, std::int64_t filters) {
    runtime::ConvSpec spec;
    spec.input = std::move(input);
    spec.filters = filters;
    spec.kernel = {5, 5};
    return spec;
  };
  const std::vector<Hard> all = {
      {conv({1, 3, 8, 12}, 7), ElementType::kBf16, 4, 4, 64, 16, 4, 250'000'000},
      {conv({1, 3, 10, 16}, 24), ElementType::kInt8, 8, 8, 8, 32, 1, 250'000'000},
      {conv({1, 2, 9, 6}, 58), ElementType::kBf16, 8, 4, 4, 32, 2, 500'000'000},
      {conv({1, 4, 14, 14}, 15), ElementType::kInt8, 8, 32, 16, 16, 1, 2'000'000'000},
  };
  for (const Hard& each : all) {
    SCOPED_TRACE(runtime::to_text(each.spec));
    MachineConfig config = load_preset("tiny");
    config.dtype = each.dtype;
    config.array_rows = each.rows;
    config.array_cols = each.cols;
    config.unified_buffer_kib = each.kib;
    config.accumulator_rows = each.accumulators;
    config.weight_fifo_tiles = each.tiles;
    config.memory_kind = MemoryKind::kSplit;
    config.memory_bytes_per_s = each.bytes_per_s;
    const graph::Graph graph = runtime::conv_graph(each.spec, config.dtype, 1);
    const Cycle before = cycles(schedule_network(graph, config), config);
    config.memory_bytes_per_s *= 2;
    const Cycle after = cycles(schedule_network(graph, config), config);
    EXPECT_LE(20 * after, 21 * before) << before << " to " << after;
  }
}

/// A second tile of the weight FIFO cost 12 %, and twice the accumulators of a shared memory too.
TEST(CapacityTest, MoreCostsNothingWhereItOnceCostAnEighth) {
  MachineConfig config = load_preset("tpu-v2");
  config.dtype = ElementType::kInt8;
  config.array_rows = 4;
  config.array_cols = 16;
  config.accumulator_rows = 64;
  config.unified_buffer_kib = 4;
  config.weight_fifo_tiles = 1;
  config.memory_kind = MemoryKind::kSplit;
  config.memory_bytes_per_s = 16'000'000'000;
  config.host_bytes_per_s = 1'000'000'000;
  config.memory_latency_cycles = config.host_latency_cycles = 10;
  runtime::ConvSpec spec;
  spec.input = {1, 2, 18, 8};
  spec.filters = 2;
  spec.kernel = {1, 2};
  spec.strides = {2, 2};
  spec.pads = {1, 1, 1, 1};
  const auto taken = [&] {
    const graph::Graph graph = runtime::conv_graph(spec, config.dtype, 1);
    return cycles(schedule_network(graph, config), config);
  };
  Cycle before = taken();
  config.weight_fifo_tiles = 2;
  EXPECT_LE(taken(), before);

  config = load_preset("tpu-v2");
  config.dtype = ElementType::kInt8;
  config.array_rows = config.array_cols = 4;
  config.accumulator_rows = 128;
  config.unified_buffer_kib = 64;
  config.weight_fifo_tiles = 2;
  config.memory_kind = MemoryKind::kShared;
  config.memory_bytes_per_s = 1'000'000'000;
  config.memory_latency_cycles = 100;
  spec = {};
  spec.input = {1, 20, 18, 7};
  spec.filters = 13;
  spec.kernel = {2, 3};
  spec.pads = {0, 0, 0, 0};
  before = taken();
  config.accumulator_rows = 256;
  EXPECT_LE(taken(), before);
}

/// A product of a random size, on one machine and on one with a little or much more of something.
/// Another plan must save a twentieth, or else as many cycles as it adds instructions.
TEST(CapacityTest, MoreCostsAProductAtMostATwentieth) {
  constexpr std::uint64_t kSeeds = 300;
  std::cout << "seeds 0 to " << kSeeds - 1 << '\n';
  Tally all;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MachineConfig config = load_preset(random.one_of({"tpu-v1", "tpu-v2"}));
    config.memory_kind = random.one_of({MemoryKind::kIdeal, MemoryKind::kSplit});
    config.accumulator_rows = static_cast<std::uint32_t>(random.between(16, 600));
    config.unified_buffer_kib = static_cast<std::uint32_t>(random.between(256, 2048));
    config.weight_fifo_tiles = static_cast<std::uint32_t>(random.between(1, 6));
    const auto size = [&](int most) { return static_cast<std::uint64_t>(random.between(1, most)); };
    const MatmulSpec spec = {size(500), size(400), size(400), random.chance(30), {}};
    MachineConfig more = config;
    const auto growth = random.between(0, 5);
    if (growth == 0) more.unified_buffer_kib += static_cast<std::uint32_t>(random.between(1, 1024));
    if (growth == 1) more.accumulator_rows += static_cast<std::uint32_t>(random.between(1, 600));
    if (growth == 2) more.weight_fifo_tiles += static_cast<std::uint32_t>(random.between(1, 6));
    if (growth == 3) more.memory_bytes_per_s *= static_cast<std::uint64_t>(random.between(2, 5));
    if (growth == 4) more.host_bytes_per_s *= static_cast<std::uint64_t>(random.between(2, 5));
    if (growth == 5) more.queue_depth *= static_cast<std::uint32_t>(random.between(2, 5));
    const Cycle before = product_cycles(spec, config);
    const Cycle after = product_cycles(spec, more);
    all.add(before, after);
    EXPECT_LE(static_cast<double>(after), 1.06 * static_cast<double>(before) + 64)
        << "growth " << growth << ", " << spec.m << " x " << spec.k << " x " << spec.n;
  }
  all.print("products");
  EXPECT_GT(all.falls, 30);
}

}  // namespace
}  // namespace weft::compiler::testing
