// Image groups and bands of lines: a batch taken through the layers group by group, and an image
// band by band, give the bits of the whole, and all engines agree in cycles.
#include "compiler/layers/layer_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/layers/line_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/schedule_layers.h"
#include "models/networks/layers.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// Sizes that divide each other and the batch, rising at random layers. Layers that cannot be
/// divided, and all after them, take the whole batch. Half of them in rounds of as many images as
/// some layer takes.
ImageGroups random_groups(const Segment& segment, const std::vector<std::size_t>& forms,
                          std::int64_t images, Random& random) {
  const ImageDivision division(in_forms(segment, forms), images);
  ImageGroups groups{images, {}, random.chance(50)};
  std::int64_t size = 1;
  bool divides = true;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    divides = divides && division.divides(i);
    std::vector<std::int64_t> larger;
    for (std::int64_t next = 2 * size; next <= images; next += size) {
      if (images % next == 0) larger.push_back(next);
    }
    if (!larger.empty() && random.chance(25)) {
      const auto count = static_cast<std::int64_t>(larger.size());
      size = larger[static_cast<std::size_t>(random.between(0, count - 1))];
    }
    groups.sizes.push_back(divides ? size : images);
  }
  if (random.chance(50)) return groups;
  const auto third = static_cast<std::int64_t>(groups.sizes.size()) / 3;
  groups.round = groups.sizes[static_cast<std::size_t>(random.between(0, third))];
  return groups;
}

/// Random counts of bands that change at random layers, 1 where a layer cannot be cut into as many.
LineBands random_bands(const Segment& segment, const std::vector<std::size_t>& forms,
                       const ImageGroups& groups, Random& random) {
  LineBands bands;
  if (random.chance(30)) return bands;
  const ImageDivision division(in_forms(segment, forms), groups.images);
  std::int64_t count = random.between(1, 4);
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    if (random.chance(20)) count = random.between(1, 8);
    bands.counts.push_back(count);
  }
  const PartedSegment parts = division.in_groups(groups);
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    std::int64_t& layer = bands.counts[parts.layers[i].layer];
    layer = std::min(layer, most_bands(parts.segment.layers[i].body));
  }
  for (const std::int64_t each : bands.counts) {
    bands.keeps_halo.push_back(each > 1 && random.chance(50));
  }
  return bands;
}

/// Gives the choices slots for a few tiles, in half of the cases, and random parts of all tiles
/// through them.
void draw_tiles(const Segment& segment, const MachineConfig& config, ScheduleChoices& choices,
                Random& random) {
  const std::uint32_t most = std::min(5U, most_tile_slots(config));
  if (most == 0 || random.chance(50)) return;
  const auto slots = static_cast<std::uint32_t>(random.between(1, most));
  choices.buffer =
      with_staging(config, choices.buffer.margin, choices.buffer.staging_rows(), slots);
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const auto all = std::int64_t{kTileShares};
    choices.buffered_tiles.push_back(
        static_cast<std::uint32_t>(random.chance(30) ? all : random.between(0, all)));
  }
}

/// A random machine, half of them with hardly more buffer than the network needs.
MachineConfig random_group_machine(const graph::Graph& graph, ElementType dtype, Random& random) {
  MachineConfig config = random_machine(random, dtype);
  if (random.chance(50)) return config;
  config = with_smallest_buffer(graph, config);
  config.unified_buffer_kib += static_cast<std::uint32_t>(random.between(0, 6));
  return config;
}

/// The kinds of layers that were cut, and the notes of the forms that were used.
struct Classes {
  std::set<std::string> cut;
  std::set<std::string> in_bands;
  std::set<std::string> forms;
  int borders_in_bands = 0;
  int halos_kept = 0;      // parts that copy lines from the band before
  int halos_computed = 0;  // parts that compute lines which the band before has, too
  int buffered_tiles = 0;  // fetches of constant weights from the unified buffer
  int kept_tiles = 0;      // of them, those without a load
  int some_rounds = 0;     // layers that take several rounds at once, but not the whole batch
  int all_rounds = 0;      // layers that take the batch after rounds
};

/// Counts the fetches of the slots for tiles, and which of them have no load of their own.
void count_tiles(const NetworkProgram& program, const MachineConfig& config, Classes& classes) {
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr || machine->schedule.buffer.tile_slots == 0) continue;
    const std::uint64_t first = machine->schedule.buffer.end;
    std::set<std::uint64_t> loaded;  // slots, since their last fetch
    for (const Instruction& instruction : machine->program.code) {
      const auto slot_of = [&](std::uint64_t row) {
        return (row - first) / tile_slot_rows(config);
      };
      if (const auto* load = std::get_if<Load>(&instruction.operation)) {
        if (load->ub >= first) loaded.insert(slot_of(load->ub));
      } else if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
        if (!fetch->buffer || fetch->buffer->row < first) continue;
        ++classes.buffered_tiles;
        if (loaded.erase(slot_of(fetch->buffer->row)) == 0) ++classes.kept_tiles;
      }
    }
  }
}

void count_halos(const Segment& segment, const Schedule& schedule, Classes& classes) {
  const PartedSegment parts = in_parts(segment, schedule);
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> ends;  // of layers and bodies
  for (const LayerPart& part : parts.layers) {
    if (part.body == kHaloBody) {
      ++classes.halos_kept;
      continue;
    }
    std::int64_t& end = ends[{part.layer, part.body}];
    if (part.band > 0 && part.rows.first < end) ++classes.halos_computed;
    end = part.rows.last;
  }
}

/// The schedule, or the one with nothing in the unified buffer but staging.
std::optional<Schedule> schedule_if_it_fits(const Segment& segment, const MachineConfig& config,
                                            ScheduleChoices choices) {
  for (const BufferParts& buffer : {choices.buffer, staging_only(config)}) {
    choices.buffer = buffer;
    auto schedule = schedule_layers(segment, config, choices);
    if (auto* fits = std::get_if<Schedule>(&schedule)) return std::move(*fits);
  }
  return std::nullopt;
}

struct Programs {
  NetworkProgram in_groups;
  NetworkProgram whole;
};

/// The programs of the network with random forms: with random groups in every segment that has a
/// batch, and without. Where the forms do not fit, the layers keep the first.
Programs random_programs(const graph::Graph& graph, const MachineConfig& config, Random& random,
                         Classes& classes) {
  ScheduledNetwork grouped = schedule_network(
      graph, config, {.mapping = {.image_groups = false, .effort = SearchEffort::kNone}});
  ScheduledNetwork whole = grouped;
  for (std::size_t step = 0; step < grouped.steps.size(); ++step) {
    auto* scheduled = std::get_if<ScheduledSegment>(&grouped.steps[step]);
    if (scheduled == nullptr || scheduled->schedule.buffer.end == 0) continue;
    const Segment& segment = scheduled->segment;
    ScheduleChoices choices;
    choices.buffer = scheduled->schedule.buffer;
    choices.chunk_rows.assign(segment.layers.size(),
                              random.between(0, 1) * random.between(1, config.accumulator_rows));
    // By tile, sums of floats depend on the schedule.
    const std::int64_t orders = config.dtype == ElementType::kInt8 ? 3 : 2;
    choices.order = kInstructionOrders[static_cast<std::size_t>(random.between(1, orders) - 1)];
    choices.fit = random.chance(50) ? Fit::kNext : Fit::kFirst;
    for (const Layer& layer : segment.layers) {
      const auto most = static_cast<std::int64_t>(layer.others.size());
      choices.forms.push_back(static_cast<std::size_t>(random.between(0, most)));
    }
    ScheduleChoices as_whole = choices;
    choices.groups = random_groups(segment, choices.forms, batch_of(segment), random);
    choices.bands = random_bands(segment, choices.forms, choices.groups, random);
    draw_tiles(segment, config, choices, random);
    as_whole.buffer = choices.buffer;
    as_whole.buffered_tiles = choices.buffered_tiles;
    auto in_whole = schedule_if_it_fits(segment, config, as_whole);
    auto in_groups = schedule_if_it_fits(segment, config, choices);
    if (!in_whole || !in_groups) continue;
    if (in_whole->buffer.tile_slots != in_groups->buffer.tile_slots) continue;
    std::get<ScheduledSegment>(whole.steps[step]).schedule = std::move(*in_whole);
    scheduled->schedule = std::move(*in_groups);
    count_halos(segment, scheduled->schedule, classes);
    for (std::size_t i = 0; i < segment.layers.size(); ++i) {
      const Layer& layer = segment.layers[i];
      const bool is_cut = choices.groups.sizes[i] < choices.groups.images;
      if (is_cut) classes.cut.insert(layer.op);
      if (outlasts_round(choices.groups, i)) ++(is_cut ? classes.some_rounds : classes.all_rounds);
      if (!choices.bands.counts.empty() && choices.bands.counts[i] > 1) {
        classes.in_bands.insert(layer.op);
        if (layer.note.find("padded by") != std::string::npos) ++classes.borders_in_bands;
      }
      if (choices.forms[i] > 0) classes.forms.insert(layer.others[choices.forms[i] - 1].note);
    }
  }
  Programs programs{write_programs(std::move(grouped), config),
                    write_programs(std::move(whole), config)};
  count_tiles(programs.in_groups, config, classes);
  return programs;
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

/// How many products of a layer begin in which row of the array.
std::map<std::int64_t, std::uint64_t> products_of(const LayerInfo& layer) {
  std::map<std::int64_t, std::uint64_t> products;
  if (!layer.folds) return products;
  for (const ProductFolds& each : layer.folds->products) products[each.front] += each.products;
  EXPECT_EQ(products.size(), layer.folds->products.size()) << layer.name;
  return products;
}

/// Expects the parts of a layer to be drawn as one layer, which has all products, or all parts of a
/// concatenation.
void expect_same_drawings(const NetworkProgram& program, const NetworkProgram& whole) {
  const std::vector<LayerInfo> layers = layers_of(program);
  const std::vector<LayerInfo> expected = layers_of(whole);
  ASSERT_EQ(layers.size(), expected.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    SCOPED_TRACE(layers[i].name);
    EXPECT_EQ(products_of(layers[i]), products_of(expected[i]));
    EXPECT_EQ(std::multiset(layers[i].lanes.begin(), layers[i].lanes.end()),
              std::multiset(expected[i].lanes.begin(), expected[i].lanes.end()));
    EXPECT_NE(layers[i].folds.has_value(), !layers[i].lanes.empty());
    std::uint64_t products = 0;
    for (const auto& [front, count] : products_of(layers[i])) products += count;
    if (layers[i].folds) {
      EXPECT_EQ(products + layers[i].folds->left_out, layers[i].tiles.products);
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

constexpr std::int64_t kBatches[] = {1, 2, 4, 12};

TEST(LayerPartsTest, GiveTheBitsOfTheWholeBatch) {
  constexpr std::uint64_t kCases = 60;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  Classes classes;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    const SmallNetwork& network = small_networks()[seed % small_networks().size()];
    const std::int64_t batch = kBatches[random.between(0, 3)];
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ", " << network.name << ", batch " << batch);
    const graph::Graph graph = prepared(network.of_batch(batch));
    const MachineConfig config = random_group_machine(graph, ElementType::kBf16, random);
    const auto inputs = networks::sample_inputs(graph, seed);
    const auto [program, whole] = random_programs(graph, config, random, classes);
    const runtime::NetworkRun run = run_everywhere(program, config, inputs);
    const runtime::NetworkRun expected = runtime::run_network(whole, config, inputs, {});
    EXPECT_EQ(run.outputs, expected.outputs) << layer_table(program);
    EXPECT_EQ(layer_values(program, config, inputs), layer_values(whole, config, inputs));
    EXPECT_EQ(run.useful_macs, expected.useful_macs);
    EXPECT_EQ(constants_of(program), constants_of(whole)) << "the parts of a layer share them";
    expect_rows_of_chunks(program);
    expect_same_drawings(program, whole);
  }
  for (const char* op : {"Conv", "Gemm", "MatMul", "MaxPool", "AveragePool", "LayerNormalization",
                         "Softmax", "Add"}) {
    EXPECT_TRUE(classes.cut.contains(op)) << op;
    EXPECT_TRUE(classes.in_bands.contains(op)) << op;
  }
  EXPECT_GT(classes.halos_kept, 0);
  EXPECT_GT(classes.halos_computed, 0);
  EXPECT_GE(classes.forms.size(), 4U);
  EXPECT_GT(classes.buffered_tiles, 100);
  EXPECT_GT(classes.kept_tiles, 10);
  EXPECT_GE(classes.some_rounds, 8);
  EXPECT_GE(classes.all_rounds, 20);
}

/// Runs an int8 network with random forms, groups and bands on all engines.
void expect_bits_of_reference(const graph::Graph& graph, const MachineConfig& config,
                              Random& random, Classes& classes) {
  const auto inputs = networks::sample_inputs(graph, 1);
  const NetworkProgram program = random_programs(graph, config, random, classes).in_groups;
  const runtime::NetworkRun run = run_everywhere(program, config, inputs);
  EXPECT_EQ(run.outputs, reference::run_graph(program.graph, inputs)) << layer_table(program);
}

TEST(LayerPartsTest, GiveTheBitsOfTheReferenceInInt8) {
  constexpr std::uint64_t kCases = 30;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  Classes classes;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    const SmallNetwork& network = small_networks()[seed % 3];  // the convolutional ones
    const std::int64_t batch = kBatches[random.between(0, 3)];
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ", " << network.name << ", batch " << batch);
    const graph::Graph graph = quantized(network.of_batch(batch));
    const MachineConfig config = random_group_machine(graph, ElementType::kInt8, random);
    expect_bits_of_reference(graph, config, random, classes);
  }
  EXPECT_TRUE(classes.cut.contains("QLinearConv"));
  EXPECT_TRUE(classes.in_bands.contains("QLinearConv"));
  EXPECT_GE(classes.forms.size(), 3U);
  EXPECT_GT(classes.buffered_tiles, 100);
}

/// Convolutions that read each other's images, so that joined lines may have a border.
graph::Graph row_of_convolutions(std::int64_t batch) {
  networks::Layers net("row", 7);
  networks::ValueId x = net.input("image", graph::DataType::kFloat32, {batch, 2, 14, 6});
  for (const char* name : {"a", "b", "c", "d"}) {
    x = net.relu(net.conv(x, {.channels = 3, .kernel = 3, .padding = 1}, name),
                 std::string(name) + ".relu");
  }
  return net.finish(x, "out");
}

/// Only the band with an image's first or last line has padding in it.
TEST(LayerPartsTest, BordersOfJoinedLinesAreThoseOfTheImage) {
  constexpr std::uint64_t kCases = 30;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  Classes classes;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Random random(seed);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const graph::Graph graph = quantized(row_of_convolutions(kBatches[random.between(0, 3)]));
    MachineConfig config = random_group_machine(graph, ElementType::kInt8, random);
    config.array_cols = std::max(config.array_cols, 9U);
    expect_bits_of_reference(graph, config, random, classes);
  }
  EXPECT_GE(classes.borders_in_bands, 10);
}

}  // namespace
}  // namespace weft::compiler::testing
