// Rounds of a batch that are under way at once: all engines agree, the results have the bits of one
// round after the other, and the array works for a round while another one waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/capacity_ladder.h"
#include "models/networks/layers.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// All images share two of the inputs: each round needs its own copy.
graph::Graph with_shared_inputs(std::int64_t batch) {
  using graph::DataType;
  using graph::Op;
  networks::Layers net("shared", 7);
  const auto x = net.input("states", DataType::kFloat32, {batch, 5, 16});
  const auto positions = net.input("positions", DataType::kFloat32, {5, 16});
  const auto table = net.input("table", DataType::kFloat32, {12, 9});
  const auto sum = net.add(Op::kAdd, {x, positions}, {}, "sum");
  const auto up = net.dense(net.layer_norm(sum, 1e-5F, "norm"), 12, "up");
  return net.finish(net.relu(net.add(Op::kMatMul, {up, table}, {}, "look up"), "relu"), "out");
}

/// The parts of one image are those of one layer, and the next image follows at once.
graph::Graph of_one_layer(std::int64_t batch) {
  networks::Layers net("one layer", 7);
  const auto x = net.input("image", graph::DataType::kFloat32, {batch, 6, 9, 8});
  return net.finish(net.relu(x, "relu"), "out");
}

std::vector<SmallNetwork> networks_in_rounds() {
  const auto given = small_networks();
  std::vector<SmallNetwork> all(given.begin(), given.end());
  all.push_back({"shared inputs", with_shared_inputs, 2, 0.02, false});
  return all;
}

LineBands random_bands(const Segment& segment, ScheduleChoices choices, Random& random) {
  LineBands bands;
  choices.groups = {};
  const PartedSegment parts = without_bands(segment, choices);
  for (const std::int64_t most : most_bands_of_layers(parts, segment.layers.size())) {
    const std::int64_t before = bands.counts.empty() ? 1 : bands.counts.back();
    const bool goes_on = before <= most && random.chance(60);
    bands.counts.push_back(goes_on ? before : random.between(1, std::min<std::int64_t>(most, 4)));
    bands.keeps_halo.push_back(bands.counts.back() > 1 && random.chance(50));
  }
  return bands;
}

/// Choices for rounds of a random size, a random number of them under way at once; nullopt if the
/// batch or the machine has no room for two.
std::optional<ScheduleChoices> random_choices(const ScheduledSegment& scheduled,
                                              const MachineConfig& config, Random& random) {
  const Segment& segment = scheduled.segment;
  const std::int64_t batch = batch_of(segment);
  const std::int64_t rounds = random.one_of({2, 3, 4, 6});
  if (batch % rounds != 0) return std::nullopt;
  const std::int64_t at_once = random.between(2, std::min<std::int64_t>(rounds, 4));
  Capacities part = capacities_of(config);
  part.unified_buffer_kib /= static_cast<std::uint32_t>(at_once);
  part.accumulator_rows /= static_cast<std::uint32_t>(at_once);
  if (part.unified_buffer_kib == 0 || part.accumulator_rows == 0) return std::nullopt;
  const MachineConfig planned = with_capacities(config, part);

  ScheduleChoices choices = first_choices(segment, config, 0);
  choices = planned_for(part, choices, segment, config);
  choices.buffer = with_staging(planned, needed_margin(segment),
                                usable_rows(planned) / random.one_of({1U, 2U, 4U}),
                                std::min(most_tile_slots(planned), random.one_of({0U, 0U, 2U})));
  choices.order = InstructionOrder::kByStart;
  choices.fit = random.chance(50) ? Fit::kNext : Fit::kFirst;
  const std::int64_t merged = rounds % 2 == 0 && random.chance(30) ? batch / 2 : 0;
  choices.groups = {batch, {}, random.chance(50), batch / rounds, at_once, merged};
  const std::int64_t first = random.chance(50) ? 1 : batch / rounds;
  const auto layers = static_cast<std::int64_t>(segment.layers.size());
  const std::int64_t from = random.between(0, layers);  // the layer that takes a round as a whole
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto most =
        static_cast<std::int64_t>(segment.layers[static_cast<std::size_t>(i)].others.size());
    choices.forms[static_cast<std::size_t>(i)] = static_cast<std::size_t>(random.between(0, most));
    choices.groups.sizes.push_back(i < from ? first : batch / rounds);
    choices.buffered_tiles.push_back(
        choices.buffer.tile_slots > 0 ? static_cast<std::uint32_t>(random.between(0, 64)) : 0);
  }
  if (random.chance(50)) choices.bands = random_bands(segment, choices, random);
  return choices;
}

/// How often the array goes on with an earlier round. The rounds use other accumulators.
int returns(const MachineStep& step) {
  int count = 0;
  std::uint32_t part = 0;
  for (const Instruction& instruction : step.program.code) {
    const auto* matmul = std::get_if<Matmul>(&instruction.operation);
    if (matmul == nullptr) continue;
    const std::uint32_t now = matmul->acc / step.schedule.capacities.accumulator_rows;
    count += now < part ? 1 : 0;
    part = now;
  }
  return count;
}

struct Classes {
  int programs = 0;
  int returns = 0;
  int tiles = 0;  // programs with tiles in slots
  int bands = 0;  // with bands of lines
  std::set<std::string> layers;
};

struct Programs {
  NetworkProgram at_once;
  NetworkProgram whole;
};

/// The network with rounds at once in every program that can have them, and with the same forms of
/// its layers for the whole batch.
Programs random_programs(ScheduledNetwork whole, const MachineConfig& config, Random& random,
                         Classes& classes) {
  ScheduledNetwork at_once = whole;
  for (std::size_t step = 0; step < whole.steps.size(); ++step) {
    auto* scheduled = std::get_if<ScheduledSegment>(&whole.steps[step]);
    if (scheduled == nullptr || scheduled->schedule.buffer.end == 0) continue;
    const auto choices = random_choices(*scheduled, config, random);
    if (!choices) continue;
    ScheduleChoices as_whole = first_choices(scheduled->segment, config, 0);
    as_whole.buffer = scheduled->schedule.buffer;
    as_whole.forms = choices->forms;
    auto in_rounds = schedule_layers(scheduled->segment, config, *choices);
    auto in_whole = schedule_layers(scheduled->segment, config, as_whole);
    if (!std::holds_alternative<Schedule>(in_rounds)) continue;
    if (!std::holds_alternative<Schedule>(in_whole)) continue;
    std::get<ScheduledSegment>(at_once.steps[step]).schedule = std::get<Schedule>(in_rounds);
    scheduled->schedule = std::get<Schedule>(in_whole);
    ++classes.programs;
    classes.tiles += choices->buffer.tile_slots > 0 ? 1 : 0;
    const auto& counts = choices->bands.counts;
    classes.bands += std::ranges::any_of(counts, [](auto count) { return count > 1; }) ? 1 : 0;
    for (const Layer& layer : scheduled->segment.layers) classes.layers.insert(layer.op);
  }
  Programs programs{write_programs(std::move(at_once), config),
                    write_programs(std::move(whole), config)};
  for (const auto& step : programs.at_once.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine != nullptr && machine->schedule.groups.rounds_at_once > 1) {
      classes.returns += returns(*machine);
    }
  }
  return programs;
}

void expect_bits(ElementType dtype, const std::vector<SmallNetwork>& all, std::uint64_t seeds,
                 Classes& classes) {
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const SmallNetwork& network = all[seed % all.size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const graph::Graph built = network.of_batch(random.one_of({2, 4, 6}));
    const bool is_int8 = dtype == ElementType::kInt8;
    const graph::Graph graph = is_int8 ? quantized(built) : prepared(built);
    MachineConfig config = random_machine(random, dtype);
    config.unified_buffer_kib += static_cast<std::uint32_t>(random.between(0, 400));
    const MappingOptions options{.image_groups = false, .effort = SearchEffort::kNone};
    const auto [program, whole] = random_programs(
        schedule_network(graph, config, {.mapping = options}), config, random, classes);
    const auto inputs = networks::sample_inputs(graph, seed);
    const runtime::NetworkRun run = run_everywhere(program, config, inputs);
    if (is_int8) {
      EXPECT_EQ(run.outputs, reference::run_graph(program.graph, inputs)) << layer_table(program);
    }
    const runtime::NetworkRunOptions keep{.simulate = {}, .keep_results = true};
    const auto kept = runtime::run_network(program, config, inputs, keep);
    const auto expected = runtime::run_network(whole, config, inputs, keep);
    EXPECT_EQ(kept.outputs, expected.outputs);
    EXPECT_EQ(kept.outputs, run.outputs);
    EXPECT_EQ(kept.useful_macs, expected.useful_macs);
    for (const auto& [value, tensor] : expected.values) {
      EXPECT_EQ(kept.values.at(value), tensor);
    }
  }
}

TEST(RoundsAtOnceTest, GiveTheBitsOfTheWholeBatch) {
  Classes classes;
  expect_bits(ElementType::kBf16, networks_in_rounds(), draws(60, 200), classes);
  EXPECT_GE(classes.programs, 25);
  EXPECT_GE(classes.tiles, 5);
  EXPECT_GE(classes.returns, 100);
  EXPECT_GE(classes.bands, 5);
  for (const char* op : {"Conv", "MatMul", "MaxPool", "LayerNormalization", "Softmax", "Add"}) {
    EXPECT_TRUE(classes.layers.contains(op)) << op;
  }
}

TEST(RoundsAtOnceTest, GiveTheBitsOfTheReferenceInInt8) {
  Classes classes;
  expect_bits(ElementType::kInt8, networks_in_rounds(), draws(60, 200), classes);
  EXPECT_GE(classes.programs, 25);
  EXPECT_GE(classes.returns, 50);
}

TEST(RoundsAtOnceTest, HaveAllBandsOfTheirImages) {
  Classes classes;
  expect_bits(ElementType::kBf16, {{"one layer", of_one_layer, 2, 0.02, false}}, 300, classes);
  EXPECT_GE(classes.bands, 5);
}

TEST(RoundsAtOnceTest, AreMadeOfWholeGroups) {
  const SmallNetwork& network = small_networks().front();
  const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  const MappingOptions none{.effort = SearchEffort::kNone};
  const ScheduledNetwork scheduled =
      schedule_network(prepared(network.of_batch(12)), config, {.mapping = none});
  const Segment& segment = std::get<ScheduledSegment>(scheduled.steps.front()).segment;
  ScheduleChoices choices = first_choices(segment, config, 0);
  choices.buffer = with_staging(config, needed_margin(segment), usable_rows(config) / 4, 0);
  const auto fits = [&](std::int64_t first, std::int64_t others, std::int64_t round) {
    choices.groups = {12, {first}, false, round};
    choices.groups.sizes.resize(segment.layers.size(), others);
    return std::holds_alternative<Schedule>(schedule_layers(segment, config, choices));
  };
  EXPECT_TRUE(fits(1, 2, 6));
  EXPECT_FALSE(fits(2, 3, 6));
  EXPECT_FALSE(fits(2, 2, 3));
  EXPECT_FALSE(fits(1, 4, 6));
  EXPECT_FALSE(fits(1, 5, 5));
  EXPECT_FALSE(fits(1, 1, 5));
  // Layers that take more than a round follow the last round of their images.
  EXPECT_TRUE(fits(2, 12, 6));
  EXPECT_TRUE(fits(1, 6, 3));
  EXPECT_TRUE(fits(1, 4, 2));
  EXPECT_FALSE(fits(2, 12, 3));
  EXPECT_FALSE(fits(2, 12, 5));
}

TEST(RoundsAtOnceTest, AreNotFollowedByLayersThatTakeMore) {
  MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  Capacities part = capacities_of(config);
  part.unified_buffer_kib /= 2;
  part.accumulator_rows /= 2;
  const auto misfit = [&](std::int64_t last, std::int64_t at_once) {
    return misfit_of_rounds({12, {2, last}, false, 6, at_once}, part, InstructionOrder::kByStart,
                            config);
  };
  EXPECT_FALSE(misfit(2, 2));
  EXPECT_FALSE(misfit(12, 1));
  ASSERT_TRUE(misfit(12, 2));
  EXPECT_EQ(misfit(12, 2)->field, "rounds_at_once");
  EXPECT_EQ(misfit(12, 2)->why, "must be 1, because the last layer takes more than a round");
}

}  // namespace
}  // namespace weft::compiler::testing
