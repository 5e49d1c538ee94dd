// Tiles of constant weights that come through the unified buffer: how many do, that several uses
// take one load, and that the search finds what both is worth. Bits and cycles of all engines are
// compared by layer_parts_test, which draws such tiles beside everything else.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/program/mapping.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/plan/network_plan.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "runtime/network_timing.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Op;
using graph::Tensor;
using graph::ValueId;

/// [rows, cols] of small numbers that differ.
Tensor numbers(std::int64_t rows, std::int64_t cols, std::int64_t seed) {
  Tensor tensor(graph::DataType::kFloat32, {rows, cols});
  std::int64_t next = seed;
  for (float& value : tensor.mutable_data<float>()) {
    next = (next * 37 + 11) % 101;
    value = static_cast<float>(next - 50) / 64;
  }
  return tensor;
}

/// y = x W..., with the same W `times` times, or with another each time.
graph::Graph products(std::int64_t size, int times, bool same) {
  graph::Builder builder("products");
  ValueId value = builder.input("x", {graph::DataType::kFloat32, {3, size}});
  ValueId weights = graph::kNoValue;
  for (int i = 0; i < times; ++i) {
    if (i == 0 || !same)
      weights = builder.constant(numbers(size, size, i), "w" + std::to_string(i));
    value = builder.add(Op::kTanh, {builder.add(Op::kMatMul, {value, weights})});
  }
  builder.output(value, "y");
  return std::move(builder).finish();
}

MachineConfig machine(MemoryKind memory) {
  MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  config.memory_kind = memory;
  config.memory_bytes_per_s = config.clock_hz;  // a byte a cycle, so a tile takes 128 cycles
  config.host_bytes_per_s = config.clock_hz;
  config.memory_latency_cycles = 5;
  config.host_latency_cycles = 5;
  return config;
}

/// The program with `share` of every 64 tiles of all products through the buffer.
ScheduledNetwork with_share(const graph::Graph& graph, const MachineConfig& config,
                            std::uint32_t slots, std::uint32_t share) {
  NetworkPlan plan = network_plan(schedule_network(graph, config));
  auto& program = std::get<LayersPlan>(plan.programs.at(0));
  program.tile_slots = slots;
  program.staging_rows = 64;
  // All rows at once, so that each product uses each tile once.
  program.round = 0;
  program.rounds_at_once = 1;
  program.merged = 0;
  program.cut_inputs = false;
  for (LayerPlan& layer : program.layers) {
    layer.images = 3;
    if (layer.layer.find("MatMul") == std::string::npos) continue;
    layer.buffered_tiles = share;
    layer.chunk_rows = 3;
  }
  return schedule_as_planned(graph, config, plan);
}

/// Fetches of constant tiles from memory and from the buffer, and tensors of weights: as tiles, and
/// as rows.
struct Counts {
  int from_memory = 0;
  int from_buffer = 0;
  int loads = 0;  // into slots
  int tile_tensors = 0;
  int row_tensors = 0;
};

Counts counts_of(const NetworkProgram& network) {
  Counts counts;
  for (const auto& step : network.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    for (std::size_t i = 0; i < machine->tensors.size(); ++i) {
      if (machine->tensors[i].kind != HostTensor::Kind::kConstant) continue;
      const TensorRole role = machine->program.tensors[i].role;
      counts.tile_tensors += role == TensorRole::kWeights ? 1 : 0;
      counts.row_tensors += role == TensorRole::kActivation ? 1 : 0;
    }
    for (const Instruction& instruction : machine->program.code) {
      if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) {
        ++(fetch->buffer ? counts.from_buffer : counts.from_memory);
      } else if (const auto* load = std::get_if<Load>(&instruction.operation)) {
        counts.loads += load->ub >= machine->schedule.buffer.end ? 1 : 0;
      }
    }
  }
  return counts;
}

TEST(BufferedTilesTest, OfEvery64TilesSoManyComeThroughTheBuffer) {
  const graph::Graph graph = prepared(products(32, 2, false));  // 4 x 4 tiles each
  const MachineConfig config = machine(MemoryKind::kSplit);
  for (const std::uint32_t share : {0U, 1U, 3U, 4U, 16U, 31U, 32U, 48U, 63U, 64U}) {
    SCOPED_TRACE(share);
    const Counts counts = counts_of(write_programs(with_share(graph, config, 4, share), config));
    EXPECT_EQ(counts.from_buffer, 2 * static_cast<int>(16 * share / 64));
    EXPECT_EQ(counts.from_memory, 32 - counts.from_buffer);
    EXPECT_EQ(counts.tile_tensors, share < 64 ? 2 : 0);
    EXPECT_EQ(counts.row_tensors, share > 0 ? 2 : 0);
    EXPECT_EQ(counts.loads, counts.from_buffer);
  }
}

TEST(BufferedTilesTest, ATileThatStaysIsLoadedOnce) {
  const graph::Graph graph = prepared(products(24, 5, true));  // 9 tiles, five times
  const MachineConfig config = machine(MemoryKind::kShared);
  const auto inputs = networks::sample_inputs(graph, 1);
  const NetworkProgram plain = write_programs(with_share(graph, config, 0, 0), config);
  const auto expected = run_everywhere(plain, config, inputs);
  struct Case {
    std::uint32_t slots = 0;
    int loads = 0;
  };
  // The ring gives a slot to the tile that it does not hold. With fewer slots than tiles, each tile
  // has lost its slot before it is used again.
  for (const Case& each : {Case{9, 9}, Case{12, 9}, Case{8, 45}, Case{1, 45}}) {
    SCOPED_TRACE(each.slots);
    const NetworkProgram program =
        write_programs(with_share(graph, config, each.slots, 64), config);
    const Counts counts = counts_of(program);
    EXPECT_EQ(counts.tile_tensors, 0);
    EXPECT_EQ(counts.row_tensors, 1) << "all products share the constant";
    EXPECT_EQ(counts.from_memory, 0);
    EXPECT_EQ(counts.from_buffer, 45);
    EXPECT_EQ(counts.loads, each.loads);
    EXPECT_EQ(run_everywhere(program, config, inputs).outputs, expected.outputs);
  }
}

TEST(BufferedTilesTest, OtherConstantsHaveTilesOfTheirOwn) {
  const MachineConfig config = machine(MemoryKind::kShared);
  const graph::Graph graph = prepared(products(24, 3, false));
  const NetworkProgram program = write_programs(with_share(graph, config, 30, 64), config);
  EXPECT_EQ(counts_of(program).row_tensors, 3);
  EXPECT_EQ(counts_of(program).loads, 27);
}

/// Cycles of the schedule that the search finds, and of the same one without slots.
struct Found {
  Cycle cycles = 0;
  Cycle without = 0;
  std::uint32_t slots = 0;
};

Found search(const graph::Graph& graph, const MachineConfig& config) {
  const ScheduledNetwork found = schedule_network(graph, config);
  NetworkPlan plan = network_plan(found);
  auto& program = std::get<LayersPlan>(plan.programs.at(0));
  Found result;
  result.slots = program.tile_slots;
  result.cycles = runtime::time_network(found, config).total;
  program.tile_slots = 0;
  for (LayerPlan& layer : program.layers) layer.buffered_tiles = 0;
  result.without = runtime::time_network(schedule_as_planned(graph, config, plan), config).total;
  return result;
}

// Three rows stream through each tile, and a tile takes 128 cycles to arrive. With a second channel
// of the same rate, twice as many arrive.
TEST(BufferedTilesTest, TheSearchUsesBothChannels) {
  const graph::Graph graph = prepared(products(64, 3, false));
  const Found found = search(graph, machine(MemoryKind::kSplit));
  EXPECT_GT(found.slots, 0U);
  EXPECT_LT(found.cycles, found.without * 2 / 3);
  EXPECT_EQ(search(graph, machine(MemoryKind::kIdeal)).slots, 0U);
}

// A tile takes 5,120 cycles from memory and 128 over the host link. By their rates one tile of 41
// would come from memory, but the layers have one or four.
TEST(BufferedTilesTest, TheSearchLeavesOutAMemoryThatIsFarTooSlow) {
  MachineConfig config = machine(MemoryKind::kSplit);
  config.memory_bytes_per_s = config.clock_hz / 40;
  for (const std::int64_t size : {8, 16}) {
    SCOPED_TRACE(size);
    const graph::Graph graph = prepared(products(size, 3, false));
    const NetworkProgram program = write_programs(schedule_network(graph, config), config);
    EXPECT_EQ(counts_of(program).from_memory, 0);
  }
}

TEST(BufferedTilesTest, TheSearchKeepsTilesOfSeveralSteps) {
  const graph::Graph graph = prepared(products(32, 6, true));
  const Found found = search(graph, machine(MemoryKind::kShared));
  EXPECT_GT(found.slots, 0U);
  EXPECT_LT(found.cycles, found.without / 2);
}

}  // namespace
}  // namespace weft::compiler::testing
