// Plans: the schedules that follow from what the search chose are those that it found, and a plan
// that was changed at random gives programs that run, or one line that names the layer.
#include "compiler/schedule/plan/network_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "base/error.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/product/product_graph.h"
#include "models/networks/networks.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

struct Case {
  graph::Graph graph;
  MachineConfig config;
  ScheduledNetwork found;
};

Case random_case(std::uint64_t seed) {
  Random random(seed);
  const MachineConfig config = random_machine(random, ElementType::kBf16);
  const SmallNetwork& network = small_networks()[seed % small_networks().size()];
  const graph::Graph graph = prepared(network.of_batch(random.one_of({1, 2, 4, 6})));
  return {graph, config, schedule_network(graph, config)};
}

/// Expects the steps to have equal schedules.
void expect_same(const ScheduledNetwork& a, const ScheduledNetwork& b) {
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const auto* first = std::get_if<ScheduledSegment>(&a.steps[i]);
    const auto* second = std::get_if<ScheduledSegment>(&b.steps[i]);
    ASSERT_EQ(first == nullptr, second == nullptr);
    if (first == nullptr) continue;
    EXPECT_EQ(first->schedule, second->schedule) << "step " << i;
  }
}

TEST(NetworkPlanTest, GivesTheSchedulesThatTheSearchFound) {
  const std::uint64_t seeds = draws(20, 60);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  int grouped = 0;
  int other_forms = 0;
  int chunks = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = random_case(seed);
    const NetworkPlan plan = network_plan(each.found);
    const ScheduledNetwork again = schedule_as_planned(each.graph, each.config, plan);
    expect_same(each.found, again);
    EXPECT_EQ(network_plan(again), plan);
    EXPECT_EQ(runtime::time_network(again, each.config).total,
              runtime::time_network(each.found, each.config).total);
    for (const ProgramPlan& program : plan.programs) {
      const auto* layers = std::get_if<LayersPlan>(&program);
      if (layers == nullptr) continue;
      for (const LayerPlan& layer : layers->layers) {
        grouped += layer.images != layers->layers.back().images ? 1 : 0;
        other_forms += layer.form > 0 ? 1 : 0;
        chunks += layer.chunk_rows > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(grouped, 0);
  EXPECT_GT(other_forms, 0);
  EXPECT_GT(chunks, 0);
}

// A plan has no rounds and no inputs in parts if every layer takes all images.
TEST(NetworkPlanTest, OneGroupOfAllImagesIsNone) {
  EXPECT_EQ(without_one_group({4, {4, 4}, true, 4}, {}), ImageGroups{});
  EXPECT_EQ(without_one_group({4, {}, true, 0}, {}), ImageGroups{});
  ImageGroups cut_inputs;
  cut_inputs.cut_inputs = true;
  EXPECT_EQ(without_one_group({4, {4, 4}, true, 4}, {.counts = {2, 2}, .keeps_halo = {}}),
            cut_inputs);
  const ImageGroups two{4, {2, 4}, true, 4};
  EXPECT_EQ(without_one_group(two, {}), two);
}

TEST(NetworkPlanTest, HoldsBandsWhichSaveCyclesWhereAnImageIsTooLarge) {
  MachineConfig config = load_preset("tpu-v1");
  config.dtype = ElementType::kBf16;
  config.unified_buffer_kib = 4096;
  const graph::Graph graph = prepared(networks::build_network("resnet18"));
  const ScheduledNetwork found = schedule_network(graph, config);
  const ScheduledNetwork whole =
      schedule_network(graph, config, {.mapping = {.line_bands = false}});
  EXPECT_LT(runtime::time_network(found, config).total, runtime::time_network(whole, config).total);
  const NetworkPlan plan = network_plan(found);
  expect_same(found, schedule_as_planned(graph, config, plan));
  const auto& layers = std::get<LayersPlan>(plan.programs.front()).layers;
  const auto banded = [](const LayerPlan& layer) { return layer.bands > 1; };
  ASSERT_GT(std::ranges::count_if(layers, banded), 2);
  const auto at = std::ranges::find_if(layers, banded) - layers.begin();
  NetworkPlan changed = plan;
  LayerPlan& layer =
      std::get<LayersPlan>(changed.programs.front()).layers[static_cast<std::size_t>(at)];
  layer.bands = 1000;
  try {
    schedule_as_planned(graph, config, changed);
    FAIL();
  } catch (const InputError& error) {
    const std::string begin = "layer '" + layer.layer + "': bands = 1000: the most is ";
    EXPECT_TRUE(std::string(error.what()).starts_with(begin)) << error.what();
  }
}

TEST(NetworkPlanTest, HoldsTheRingsOfOneProduct) {
  std::cout << "seeds 200 to 239\n";
  int with_tiles = 0;
  for (std::uint64_t seed = 200; seed < 240; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MachineConfig config = random_machine(random, ElementType::kBf16);
    if (random.chance(50)) {
      config.memory_kind = MemoryKind::kSplit;
      config.memory_bytes_per_s = config.clock_hz / 4;
    }
    const auto extent = [&] { return static_cast<std::uint64_t>(random.between(1, 300)); };
    const MatmulSpec spec{extent(), extent(), extent(), random.chance(50)};
    const graph::Graph graph = prepared(product_graph(spec, config.dtype));
    const ScheduledNetwork found = schedule_network(graph, config);
    NetworkPlan plan = network_plan(found);
    expect_same(found, schedule_as_planned(graph, config, plan));
    auto& product = std::get<ProductPlan>(plan.programs.front());
    with_tiles += product.tile_slots > 0 ? 1 : 0;
    product.activation_slots += 1000000;
    EXPECT_THROW(schedule_as_planned(graph, config, plan), InputError);
    product.chunk_rows = 0;
    EXPECT_THROW(schedule_as_planned(graph, config, plan), InputError);
  }
  EXPECT_GE(with_tiles, 5);
}

/// Changes one field to a number that may or may not make sense.
void change(LayersPlan& plan, const MachineConfig& config, Random& random) {
  const auto last = static_cast<std::int64_t>(plan.layers.size()) - 1;
  LayerPlan& layer = plan.layers[static_cast<std::size_t>(random.between(0, last))];
  switch (random.between(0, 11)) {
    case 0:
      layer.form = static_cast<std::size_t>(random.between(0, 2));
      break;
    case 1:
      layer.images = random.between(1, 6);
      break;
    case 2:
      layer.chunk_rows = random.between(0, config.accumulator_rows + 10);
      break;
    case 7:
      layer.bands = random.between(1, 6);
      break;
    case 8:
      layer.keep_halo = !layer.keep_halo;
      break;
    case 9:
      plan.tile_slots = static_cast<std::uint32_t>(random.between(0, 40));
      break;
    case 10:
      plan.tile_slots = 1;
      layer.buffered_tiles = static_cast<std::uint32_t>(random.between(0, kTileShares + 8));
      break;
    case 6:
      plan.cut_inputs = !plan.cut_inputs;
      break;
    case 11:
      plan.round = random.between(0, 6);
      break;
    case 3:
      plan.staging_rows = static_cast<std::uint64_t>(random.between(0, 20000));
      break;
    case 4:
      plan.order = kInstructionOrders[static_cast<std::size_t>(random.between(0, 2))];
      break;
    default:
      plan.fit = random.one_of({Fit::kFirst, Fit::kNext});
      break;
  }
}

TEST(NetworkPlanTest, AChangedPlanRunsOrIsRefusedWithItsLayer) {
  std::cout << "seeds 100 to 129\n";
  int ran = 0;
  int refused = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = random_case(seed);
    Random random(seed);
    for (int i = 0; i < 12; ++i) {
      NetworkPlan plan = network_plan(each.found);
      auto* layers =
          plan.programs.empty() ? nullptr : std::get_if<LayersPlan>(&plan.programs.front());
      if (layers == nullptr) continue;
      change(*layers, each.config, random);
      try {
        const ScheduledNetwork changed = schedule_as_planned(each.graph, each.config, plan);
        runtime::time_network(changed, each.config);
        EXPECT_EQ(network_plan(changed), plan);
        ++ran;
      } catch (const InputError& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.starts_with("layer ") || text.starts_with("programs[0]: ")) << text;
        ++refused;
      }
    }
  }
  EXPECT_GT(ran, 50);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace weft::compiler::testing
