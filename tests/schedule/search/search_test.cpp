// The search over schedules: what it finds is never slower than what it began with, and its replay
// counts the cycles of the run.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>
#include <variant>

#include "compiler/layers/layer_parts.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/segments/segments.h"
#include "models/networks/networks.h"
#include "runtime/network_timing.h"
#include "runtime/workload/network_conv.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

Cycle cycles(const graph::Graph& graph, const MachineConfig& config,
             const MappingOptions& mapping) {
  return runtime::time_network(schedule_network(graph, config, {.mapping = mapping}), config).total;
}

/// Calls `check` for small networks, each on a random machine.
void for_each_seed(std::uint64_t seeds,
                   const std::function<void(const graph::Graph&, const MachineConfig&)>& check) {
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random, ElementType::kBf16);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    check(prepared(network.build()), config);
  }
}

TEST(ScheduleSearchTest, NeverLosesToWhatItBeginsWith) {
  const std::uint64_t seeds = draws(16, 40);
  std::uint64_t faster = 0;
  int apart = 0;
  for_each_seed(seeds, [&](const graph::Graph& graph, const MachineConfig& config) {
    const Cycle found = cycles(graph, config, {});
    const Cycle first = cycles(graph, config, {.effort = SearchEffort::kNone});
    const Cycle unpacked = cycles(graph, config, {.packed_taps = false});
    EXPECT_LE(found, first);
    EXPECT_LE(found, unpacked);
    faster += found < first ? 1U : 0U;
    apart += found == unpacked && unpacked < first ? 1 : 0;
  });
  EXPECT_GT(3 * faster, seeds);
  EXPECT_GT(apart, 0);
}

/// Without a replay, a closed form decides how many images go through the layers together.
TEST(ScheduleSearchTest, EstimatesTakeABatchInGroupsWhereThatIsFaster) {
  std::cout << "seeds 0 to 99\n";
  const MappingOptions in_groups = {.effort = SearchEffort::kNone};
  const MappingOptions whole = {.image_groups = false, .effort = SearchEffort::kNone};
  int faster = 0;
  int slower = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    MachineConfig config = random_machine(random, ElementType::kBf16);
    config.unified_buffer_kib = 8;
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    const graph::Graph graph = prepared(network.of_batch(16));
    const Cycle found = cycles(graph, config, in_groups);
    const Cycle together = cycles(graph, config, whole);
    faster += 10 * found < 9 * together ? 1 : 0;
    slower += 10 * found > 11 * together ? 1 : 0;
  }
  std::cout << faster << " faster, " << slower << " slower\n";
  EXPECT_GT(faster, 2 * slower);
}

TEST(ScheduleSearchTest, MoreEffortNeverLoses) {
  constexpr std::uint64_t kSeeds = 30;
  std::uint64_t faster = 0;
  for_each_seed(kSeeds, [&](const graph::Graph& graph, const MachineConfig& config) {
    MappingOptions options;
    double last = 0;
    options.progress = [&](double share) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
      last = share;
    };
    const Cycle normal = cycles(graph, config, options);
    EXPECT_GT(last, 0);
    options.effort = SearchEffort::kThorough;
    const Cycle thorough = cycles(graph, config, options);
    EXPECT_LE(thorough, normal);
    faster += thorough < normal ? 1U : 0U;
  });
  EXPECT_GT(3 * faster, kSeeds);
}

/// A batch takes no more cycles than both its halves, one after the other, unless a shared memory
/// reorders what both halves move. Three of those may lose up to a fiftieth.
TEST(ScheduleSearchTest, AnImageTakesNoLongerInALargerBatch) {
  const std::uint64_t seeds = draws(12, 100);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::uint64_t faster = 0;
  int slower = 0;
  std::uint64_t apart = 0;  // with no shared memory
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random, ElementType::kBf16);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const std::int64_t half = random.one_of({1, 2, 4});
    const ScheduledNetwork single = schedule_network(prepared(network.of_batch(half)), config, {});
    const Cycle one = runtime::time_network(single, config).total;
    const Cycle both = cycles(prepared(network.of_batch(2 * half)), config, {});
    faster += both < 2 * one ? 1U : 0U;
    if (config.memory_kind == MemoryKind::kShared) {
      EXPECT_LE(50 * both, 51 * 2 * one) << "images: " << half;
      slower += both > 2 * one ? 1 : 0;
    } else {
      EXPECT_LE(both, 2 * one) << "images: " << half;
      ++apart;
    }
  }
  EXPECT_GT(5 * faster, 4 * seeds);
  EXPECT_GT(5 * apart, 2 * seeds);
  EXPECT_LE(slower, 3);
}

/// The only program of a network, if it is no product and all its layers divide `images`.
std::optional<ScheduledSegment> divisible_program(const graph::Graph& graph,
                                                  const MachineConfig& config,
                                                  const MappingOptions& mapping,
                                                  std::int64_t images) {
  ScheduledNetwork network = schedule_network(graph, config, {.mapping = mapping});
  if (network.steps.size() != 1) return std::nullopt;
  auto* program = std::get_if<ScheduledSegment>(&network.steps.front());
  if (program == nullptr || !program->choices) return std::nullopt;
  if (batch_of(program->segment) != images) return std::nullopt;
  const ImageDivision division(in_forms(program->segment, program->choices->forms), images);
  for (std::size_t i = 0; i < program->segment.layers.size(); ++i) {
    if (!division.divides(i)) return std::nullopt;
  }
  return std::move(*program);
}

/// The choices for half of a batch in two rounds. The second round finds the buffer as the first
/// did, so it takes no longer, unless both share a memory whose arbitration reorders them.
TEST(ScheduleSearchTest, HalfABatchRepeatedTakesAtMostTwiceAsLong) {
  const std::uint64_t seeds = draws(20, 60);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::uint64_t in_groups = 0;
  std::uint64_t checked = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    MachineConfig config = random_machine(random, ElementType::kBf16);
    config.memory_kind = random.one_of({MemoryKind::kSplit, MemoryKind::kIdeal});
    config.unified_buffer_kib = random.one_of({8U, 16U, 32U});
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const std::int64_t images = random.one_of({2, 4});
    const MappingOptions options{.line_bands = false};
    const auto half =
        divisible_program(prepared(network.of_batch(images)), config, options, images);
    if (!half) continue;
    MappingOptions unsearched = options;
    unsearched.effort = SearchEffort::kNone;
    const auto whole =
        divisible_program(prepared(network.of_batch(2 * images)), config, unsearched, 2 * images);
    if (!whole) continue;
    // The search may have taken the network with other joined lines, which has other layers.
    const auto kind = [](const Layer& layer) { return std::pair(layer.name, layer.note); };
    if (!std::ranges::equal(half->segment.layers, whole->segment.layers, {}, kind, kind)) continue;
    ScheduleChoices choices = *half->choices;
    ImageGroups& groups = choices.groups;
    in_groups += groups.sizes.empty() ? 0U : 1U;
    groups.images = 2 * images;
    if (groups.round == 0) groups.round = images;
    if (groups.rounds_at_once > 1 && groups.merged == 0) groups.merged = images;
    if (groups.sizes.empty()) groups.sizes.assign(whole->segment.layers.size(), images);
    const auto repeated = schedule_layers(whole->segment, config, choices);
    ASSERT_TRUE(std::holds_alternative<Schedule>(repeated));
    const Cycle once = replay(half->segment, half->schedule, config).cycles;
    EXPECT_LE(replay(whole->segment, std::get<Schedule>(repeated), config).cycles, 2 * once);
    ++checked;
  }
  std::cout << checked << " checked, " << in_groups << " of them in groups\n";
  EXPECT_GT(3 * checked, seeds);
  EXPECT_GT(10 * in_groups, seeds);
}

TEST(ScheduleSearchTest, ReplayCountsTheCyclesOfTheRun) {
  for_each_seed(20, [](const graph::Graph& graph, const MachineConfig& config) {
    const ScheduledNetwork scheduled = schedule_network(graph, config);
    Cycle replayed = 0;
    std::uint64_t instructions = 0;
    for (const auto& step : scheduled.steps) {
      const auto* segment = std::get_if<ScheduledSegment>(&step);
      if (segment == nullptr) continue;
      const Replay cost = replay(segment->segment, segment->schedule, config);
      replayed += cost.cycles;
      instructions += cost.instructions;
    }
    const runtime::NetworkRun run = runtime::time_network(scheduled, config);
    EXPECT_EQ(replayed, run.total);
    EXPECT_EQ(instructions, run.instructions);
  });
}

/// A fetch of a tile of tpu-v1 takes as long as 1,300 rows, and all images of a batch share it.
TEST(ScheduleSearchTest, ABatchMayJoinOtherLinesThanAnImage) {
  const graph::Graph graph = networks::build_network("resnet50");
  MachineConfig config = load_preset("tpu-v1");
  EXPECT_TRUE(joins_other_lines_for_batch(graph, config, {}));
  config.memory_kind = MemoryKind::kIdeal;  // without fetches both have the same estimate
  EXPECT_FALSE(joins_other_lines_for_batch(graph, config, {}));
}

runtime::ConvSpec convolution(graph::Shape input, std::int64_t filters, std::int64_t kernel) {
  runtime::ConvSpec spec;
  spec.input = std::move(input);
  spec.filters = filters;
  spec.kernel = {kernel, kernel};
  return spec;
}

/// The product of a 1 x 1 convolution is the same however its pixels lie in lines, and a single
/// line is joined with no other.
TEST(ScheduleSearchTest, JoinsLinesOfAProductOnlyWhereThatIsFaster) {
  struct Product {
    const char* machine;
    std::int64_t m, k, n;
  };
  for (const Product& each : {Product{"tpu-v2", 1000, 1000, 1}, Product{"tpu-v2", 256, 64, 256},
                              Product{"tpu-v2", 300, 100, 20}, Product{"edge-tpu", 196, 296, 2}}) {
    SCOPED_TRACE(::testing::Message() << each.m << " x " << each.k << " x " << each.n);
    const MachineConfig config = load_preset(each.machine);
    const auto taken = [&](graph::Shape input) {
      const auto spec = convolution(std::move(input), each.n, 1);
      return cycles(runtime::conv_graph(spec, config.dtype, 1), config, {});
    };
    EXPECT_LE(taken({1, each.k, each.m, 1}), taken({1, each.k, 1, each.m}));
  }
}

/// Neither decision alone is as fast.
TEST(ScheduleSearchTest, TakesTwoDecisionsTogether) {
  runtime::ConvSpec spec = convolution({1, 310, 28, 28}, 1, 3);
  const MachineConfig config = load_preset("edge-tpu");
  const graph::Graph graph = runtime::conv_graph(spec, config.dtype, 1);
  const Cycle both = cycles(graph, config, {.packed_taps = false, .joined_lines = false});
  EXPECT_LE(cycles(graph, config, {}), both);
  EXPECT_LT(both, cycles(graph, config, {.packed_taps = true}));
  EXPECT_LT(both, cycles(graph, config, {.joined_lines = true}));
}

}  // namespace
}  // namespace weft::compiler::testing
