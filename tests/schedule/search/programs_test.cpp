// Networks of several programs, and matrices whose rows look like the images of a batch.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/replay.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

ValueId dense(Builder& builder, ValueId x, std::int64_t inputs, std::int64_t outputs) {
  Tensor weights(DataType::kFloat32, {inputs, outputs});
  return builder.add(Op::kMatMul, {x, builder.constant(std::move(weights))});
}

Cycle cycles(const ScheduledNetwork& network, const MachineConfig& config) {
  return runtime::time_network(network, config).total;
}

// A prime number of rows can only be divided into single rows, and a program that takes them one by
// one has hundreds of thousands of instructions. To replay a few of these would end the search.
TEST(ProgramsTest, RowsOfAMatrixAreNotTakenOneByOne) {
  Builder builder("matrix");
  ValueId x = builder.input("x", {DataType::kFloat32, {509, 512}});
  for (int layer = 0; layer < 3; ++layer) {
    x = dense(builder, builder.add(Op::kRelu, {dense(builder, x, 512, 2048)}), 2048, 512);
  }
  builder.output(builder.add(Op::kSoftmax, {x}), "y");
  const graph::Graph graph = prepared(builder.finish());
  const MachineConfig config = load_preset("tpu-v2");
  const MappingOptions unsearched{.effort = SearchEffort::kNone};
  const ScheduledNetwork closed = schedule_network(graph, config, {.mapping = unsearched});
  EXPECT_LE(cycles(schedule_network(graph, config), config), cycles(closed, config));
}

/// Blocks with a node for the host in each; in the last of them the product has other columns.
graph::Graph blocks(int count) {
  Builder builder("blocks");
  ValueId x = builder.input("x", {DataType::kFloat32, {24, 40}});
  for (int block = 0; block < count; ++block) {
    const std::int64_t columns = block + 1 < count ? 56 : 57;
    const ValueId wide = builder.add(Op::kRelu, {dense(builder, x, 40, columns)});
    const ValueId sum = builder.add(Op::kAdd, {dense(builder, wide, columns, 40), x});
    x = builder.add(Op::kCumSum,
                    {sum, builder.constant(Tensor::scalar(std::int64_t{1}))});  // for the host
  }
  builder.output(x, "y");
  return prepared(builder.finish());
}

std::vector<const ScheduledSegment*> programs_of(const ScheduledNetwork& network) {
  std::vector<const ScheduledSegment*> programs;
  for (const auto& step : network.steps) {
    if (const auto* segment = std::get_if<ScheduledSegment>(&step)) programs.push_back(segment);
  }
  return programs;
}

/// The schedules of the blocks and the number of replays of their search.
struct Searched {
  ScheduledNetwork network;
  int replays = 0;
};

Searched searched(int count, const MachineConfig& config) {
  Searched result;
  CompileOptions options;
  options.mapping.turned_results = false;  // one plan of the network
  options.mapping.turned_values = false;
  options.mapping.progress = [&](double) { ++result.replays; };
  result.network = schedule_network(blocks(count), config, options);
  return result;
}

TEST(ProgramsTest, EqualProgramsAreSearchedOnce) {
  MachineConfig config = load_preset("tiny");
  config.dtype = ElementType::kBf16;
  const Searched four = searched(4, config);
  const auto programs = programs_of(four.network);
  ASSERT_EQ(programs.size(), 4U);
  EXPECT_EQ(programs[1]->schedule, programs[0]->schedule);
  EXPECT_EQ(programs[2]->schedule, programs[0]->schedule);
  EXPECT_NE(programs[3]->segment.layers[0].macs, programs[0]->segment.layers[0].macs);
  for (const ScheduledSegment* program : programs) {
    EXPECT_EQ(replay(program->segment, program->schedule, config).cycles, program->cycles);
  }
  EXPECT_GT(four.replays, 0);
  EXPECT_EQ(four.replays, searched(2, config).replays);
}

}  // namespace
}  // namespace weft::compiler::testing
