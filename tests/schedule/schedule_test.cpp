// Schedules of small networks: what stays in the unified buffer never overlaps, and a program
// depends on its schedule alone, so that other schedules give the same results.
#include "compiler/program/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "compiler/layers/line_bands.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/sample_inputs.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "sim/memory/physical_memory.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// The buffer's rows that something took in a layer, counted one by one.
class Owners {
 public:
  Owners(const BufferParts& parts, std::size_t layer) : parts_(parts), layer_(layer) {}

  void take(std::uint64_t first, std::uint64_t rows) {
    ASSERT_GE(first, parts_.margin) << "layer " << layer_;
    ASSERT_LE(first + rows, parts_.staging) << "layer " << layer_;
    for (std::uint64_t row = first; row < first + rows; ++row) {
      ASSERT_EQ(++taken_[row], 1) << "layer " << layer_ << ", row " << row;
    }
  }
  std::size_t rows() const { return taken_.size(); }

 private:
  const BufferParts& parts_;
  std::size_t layer_;
  std::map<std::uint64_t, int> taken_;
};

std::uint64_t rows_of(const Sheet& sheet, const MachineConfig& config) {
  const std::int64_t planes = (sheet.size.channels + config.array_rows - 1) / config.array_rows;
  return static_cast<std::uint64_t>(planes * sheet.size.rows);
}

/// Returns how many rows were taken in all layers together.
std::size_t check_stays(const ScheduledSegment& scheduled, const MachineConfig& config) {
  const Schedule& schedule = scheduled.schedule;
  const Segment segment = in_parts(scheduled.segment, schedule).segment;
  std::size_t taken = 0;
  for (std::size_t layer = 0; layer < segment.layers.size(); ++layer) {
    Owners owners(schedule.buffer, layer);
    for (std::size_t i = 0; i < segment.sheets.size(); ++i) {
      const auto& stay = schedule.sheets[i];
      if (!stay || stay->from_layer > layer || segment.sheets[i].last_use < layer) continue;
      owners.take(stay->base, rows_of(segment.sheets[i], config));
    }
    // Their sizes are the compiler's own business; the first row must be free in any case.
    for (const auto& base : schedule.layers[layer].constants) {
      if (base) owners.take(*base, 1);
    }
    taken += owners.rows();
  }
  return taken;
}

MachineConfig machine(std::uint32_t kib) {
  MachineConfig config = small_machine(ElementType::kBf16, 8, 4);
  config.unified_buffer_kib = kib;
  return config;
}

void for_each_segment(ScheduledNetwork& network,
                      const std::function<void(ScheduledSegment&)>& function) {
  for (auto& step : network.steps) {
    if (auto* segment = std::get_if<ScheduledSegment>(&step)) function(*segment);
  }
}

/// The mapping with half as much at once.
void halve(Mapping& mapping) {
  mapping.chunk_rows = std::max(1U, mapping.chunk_rows / 2);
  mapping.column_tiles = std::max(1U, mapping.column_tiles / 2);
  if (mapping.accumulator_regions > 1) mapping.accumulator_regions -= 1;
}

TEST(ScheduleTest, NothingThatStaysOverlaps) {
  std::size_t taken = 0;
  for (const SmallNetwork& network : small_networks()) {
    const graph::Graph graph = prepared(network.build());
    for (const MachineConfig& config :
         {machine(256), machine(16), with_smallest_buffer(graph, machine(256))}) {
      SCOPED_TRACE(::testing::Message() << network.name << ", " << config.unified_buffer_kib);
      ScheduledNetwork scheduled = schedule_network(graph, config);
      for_each_segment(scheduled, [&](const ScheduledSegment& segment) {
        taken += check_stays(segment, config);
      });
    }
  }
  EXPECT_GT(taken, 10'000U);
}

TEST(ScheduleTest, AnotherScheduleIsAnotherProgramWithTheSameResults) {
  const MachineConfig config = machine(256);
  for (const SmallNetwork& network : small_networks()) {
    SCOPED_TRACE(network.name);
    const graph::Graph graph = prepared(network.build());
    ScheduledNetwork scheduled = schedule_network(graph, config);
    const runtime::NamedTensors inputs = networks::sample_inputs(graph, 7);
    const NetworkProgram first = write_programs(scheduled, config);
    for_each_segment(scheduled, [](ScheduledSegment& segment) {
      for (LayerSchedule& layer : segment.schedule.layers) {
        std::ranges::for_each(layer.mappings, halve);
        std::ranges::fill(layer.constants, std::nullopt);  // all through staging
      }
    });
    const NetworkProgram second = write_programs(scheduled, config);
    const runtime::NetworkRun first_run = run_everywhere(first, config, inputs);
    const runtime::NetworkRun second_run = run_everywhere(second, config, inputs);
    EXPECT_GT(second_run.instructions, first_run.instructions);
    ASSERT_EQ(first_run.outputs.size(), second_run.outputs.size());
    for (const auto& [name, tensor] : first_run.outputs) {
      EXPECT_TRUE(std::ranges::equal(tensor.bytes(), second_run.outputs.at(name).bytes())) << name;
    }
  }
}

void expect_same(const runtime::NetworkRun& streamed, const runtime::NetworkRun& held) {
  EXPECT_EQ(streamed.total, held.total);
  EXPECT_EQ(streamed.ledger, held.ledger);
  EXPECT_EQ(streamed.traffic, held.traffic);
  EXPECT_EQ(streamed.instructions, held.instructions);
  EXPECT_EQ(streamed.programs, held.programs);
  EXPECT_EQ(streamed.issued_macs, held.issued_macs);
  EXPECT_EQ(streamed.useful_macs, held.useful_macs);
  expect_same_layers(streamed.layers, held.layers);
  EXPECT_EQ(streamed.events, held.events);
}

/// The layers have the same events however they are counted, and sum to the run.
void expect_events(const runtime::NetworkRun& streamed, const runtime::NetworkRun& held,
                   const MachineConfig& config) {
  EventCounts sum;
  ASSERT_EQ(streamed.layers.size(), held.layers.size());
  for (std::size_t i = 0; i < held.layers.size(); ++i) {
    const runtime::LayerRun& layer = streamed.layers[i];
    EXPECT_EQ(layer.events, held.layers[i].events) << layer.info.name;
    EXPECT_EQ(layer.events.streamed_rows * config.array_rows * config.array_cols,
              layer.info.issued_macs)
        << layer.info.name;
    sum += layer.events;
  }
  EXPECT_EQ(sum, streamed.events);
}

TEST(ScheduleTest, TheCyclesAreThoseOfTheProgramsWithoutHoldingThem) {
  for (const MemoryKind memory : {MemoryKind::kIdeal, MemoryKind::kSplit, MemoryKind::kShared}) {
    for (const std::uint32_t kib : {256U, 16U}) {
      MachineConfig config = machine(kib);
      config.memory_kind = memory;
      config.memory_bytes_per_s = 800'000'000;  // 8 bytes per cycle
      config.host_bytes_per_s = 500'000'000;
      for (const SmallNetwork& network : small_networks()) {
        SCOPED_TRACE(::testing::Message() << network.name << ", " << kib << " KiB");
        const ScheduledNetwork scheduled = schedule_network(prepared(network.build()), config);
        const runtime::NetworkRun held =
            runtime::run_network(write_programs(scheduled, config), config, {},
                                 {.simulate = {.engine = Engine::kAnalytic}});
        const runtime::NetworkRun streamed = runtime::time_network(scheduled, config);
        expect_same(streamed, held);
        expect_events(streamed, held, config);
      }
    }
  }
}

/// Attention's product of `heads` heads of one query each, without values.
graph::Graph batched_product(const std::vector<std::int64_t>& batches) {
  graph::Builder builder("batched");
  for (const std::int64_t batch : batches) {
    const graph::ValueType type{graph::DataType::kFloat32, {batch, 1024, 1, 1}};
    const std::string number = std::to_string(batch);
    const auto a = builder.input("a" + number, type);
    const auto b = builder.input("b" + number, type);
    builder.output(builder.add(graph::Op::kMatMul, {a, b}), "y" + number);
  }
  return builder.finish();
}

// A list has 56 bytes for each product: seven numbers. Without the check, it would be made.
TEST(ScheduleTest, ListsOfProductsThatDoNotFitInMemoryAreRefused) {
  const auto products = static_cast<std::int64_t>(physical_memory_bytes() / 56);
  const MachineConfig config = weft::load_preset("tpu-v2");
  const auto refusal = [&](const std::vector<std::int64_t>& batches) -> std::string {
    try {
      compiler::schedule_network(batched_product(batches), config,
                                 {.mapping = {.effort = SearchEffort::kNone}});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal({products / 1024}).find("products of matrices would take"), std::string::npos);
  EXPECT_EQ(refusal({2, 3}), "");
}

}  // namespace
}  // namespace weft::compiler::testing
