// Image groups: a batch taken through the layers group by group gives the bits of the whole batch,
// and all engines agree in cycles.
#include "compiler/layers/image_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/schedule_layers.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// Sizes that divide each other and the batch, rising at random layers. Layers that cannot be
/// divided, and all after them, take the whole batch.
ImageGroups random_groups(const Segment& segment, std::int64_t images, Random& random) {
  const ImageDivision division(segment, images);
  ImageGroups groups{images, {}};
  std::int64_t size = 1;
  bool divides = true;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    divides = divides && division.divides(i);
    std::vector<std::int64_t> larger;
    for (std::int64_t next = 2 * size; next <= images; next += size) {
      if (images % next == 0) larger.push_back(next);
    }
    if (!larger.empty() && random.chance(15)) {
      const auto count = static_cast<std::int64_t>(larger.size());
      size = larger[static_cast<std::size_t>(random.between(0, count - 1))];
    }
    groups.sizes.push_back(divides ? size : images);
  }
  return groups;
}

/// The program of the network with random groups in every segment that has a batch. Adds to `cut`
/// the kinds of layers that were cut.
NetworkProgram in_random_groups(const graph::Graph& graph, const MachineConfig& config,
                                Random& random, std::set<std::string>& cut) {
  ScheduledNetwork network = schedule_network(graph, config, {.mapping = {.replays = false}});
  for (auto& step : network.steps) {
    auto* scheduled = std::get_if<ScheduledSegment>(&step);
    if (scheduled == nullptr || scheduled->schedule.buffer.end == 0) continue;
    const Segment& segment = scheduled->segment;
    ScheduleChoices choices;
    choices.buffer = scheduled->schedule.buffer;
    choices.chunk_shares.assign(segment.layers.size(), random.between(1, 3));
    choices.groups = random_groups(segment, batch_of(segment), random);
    for (std::size_t i = 0; i < segment.layers.size(); ++i) {
      if (choices.groups.sizes[i] < choices.groups.images) cut.insert(segment.layers[i].op);
    }
    auto schedule = schedule_layers(segment, config, choices);
    if (auto* fits = std::get_if<Schedule>(&schedule)) scheduled->schedule = std::move(*fits);
  }
  return write_programs(std::move(network), config);
}

/// How many tensors of weights and other constants the programs have.
std::size_t constants_of(const NetworkProgram& program) {
  std::size_t count = 0;
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    count += static_cast<std::size_t>(
        std::ranges::count(machine->tensors, HostTensor::Kind::kConstant, &HostTensor::kind));
  }
  return count;
}

/// Expects each matmul to have the rows of the chunk that it is said to work on, and some work on
/// every chunk.
void expect_rows_of_chunks(const NetworkProgram& program) {
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    std::vector<std::set<std::size_t>> chunks(machine->layers.size());
    for (std::size_t i = 0; i < machine->program.code.size(); ++i) {
      const auto* matmul = std::get_if<Matmul>(&machine->program.code[i].operation);
      if (matmul == nullptr) continue;
      const LayerInfo& layer = machine->layers[machine->instruction_layer[i]];
      const auto chunk = static_cast<std::size_t>(machine->instruction_tile[i].chunk);
      ASSERT_LT(chunk + 1, layer.tiles.m.size()) << layer.name;
      ASSERT_EQ(std::int64_t{matmul->rows}, layer.tiles.m[chunk + 1] - layer.tiles.m[chunk])
          << layer.name;
      chunks[machine->instruction_layer[i]].insert(chunk);
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::size_t edges = machine->layers[i].tiles.m.size();
      EXPECT_EQ(chunks[i].size() + 1, std::max<std::size_t>(edges, 1)) << machine->layers[i].name;
    }
  }
}

/// The results of all layers, on fast.
std::map<graph::ValueId, graph::Tensor> layer_values(const NetworkProgram& program,
                                                     const MachineConfig& config,
                                                     const runtime::NamedTensors& inputs) {
  runtime::NetworkRunOptions options;
  options.keep_results = true;
  return runtime::run_network(program, config, inputs, options).values;
}

constexpr std::int64_t kBatches[] = {2, 3, 4, 6};

TEST(ImageGroupsTest, GiveTheBitsOfTheWholeBatch) {
  constexpr std::uint64_t kCases = 60;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  std::set<std::string> cut;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random, ElementType::kBf16);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    const std::int64_t batch = kBatches[random.between(0, 3)];
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ", " << network.name << ", batch " << batch);
    const graph::Graph graph = prepared(network.of_batch(batch));
    const auto inputs = networks::sample_inputs(graph, seed);
    const NetworkProgram program = in_random_groups(graph, config, random, cut);
    const NetworkProgram whole = compile_network(graph, config);
    const runtime::NetworkRun run = run_everywhere(program, config, inputs);
    const runtime::NetworkRun expected = runtime::run_network(whole, config, inputs, {});
    EXPECT_EQ(run.outputs, expected.outputs) << layer_table(program);
    EXPECT_EQ(layer_values(program, config, inputs), layer_values(whole, config, inputs));
    EXPECT_EQ(run.useful_macs, expected.useful_macs);
    EXPECT_EQ(constants_of(program), constants_of(whole)) << "the parts of a layer share them";
    expect_rows_of_chunks(program);
  }
  for (const char* op : {"Conv", "Gemm", "MatMul", "MaxPool", "AveragePool", "LayerNormalization",
                         "Softmax", "Add"}) {
    EXPECT_TRUE(cut.contains(op)) << op;
  }
}

TEST(ImageGroupsTest, GiveTheBitsOfTheReferenceInInt8) {
  constexpr std::uint64_t kCases = 30;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  std::set<std::string> cut;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    const MachineConfig config = random_machine(random, ElementType::kInt8);
    const SmallNetwork& network = small_networks()[seed % 3];  // the convolutional ones
    const std::int64_t batch = kBatches[random.between(0, 3)];
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ", " << network.name << ", batch " << batch);
    const graph::Graph graph = quantized(network.of_batch(batch));
    const auto inputs = networks::sample_inputs(graph, seed);
    const NetworkProgram program = in_random_groups(graph, config, random, cut);
    const runtime::NetworkRun run = run_everywhere(program, config, inputs);
    EXPECT_EQ(run.outputs, reference::run_graph(program.graph, inputs)) << layer_table(program);
  }
  EXPECT_TRUE(cut.contains("QLinearConv"));
}

}  // namespace
}  // namespace weft::compiler::testing
