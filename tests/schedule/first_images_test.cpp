// The first images of a batch. The oracle is the same network, compiled for a batch of that size:
// both must have the same sheets and take the same cycles.
#include "compiler/layers/first_images.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <variant>
#include <vector>

#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/segment/schedule_segment.h"
#include "compiler/segments/segments.h"
#include "models/networks/layers.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// Fully connected layers one after the other, so that all of their values can be turned, with an
/// element-wise layer between them.
graph::Graph classifier(std::int64_t batch) {
  networks::Layers net("classifier", 7);
  const auto image = net.input("image", graph::DataType::kFloat32, {batch, 3, 9, 9});
  const auto conv = net.relu(net.conv(image, {.channels = 5, .kernel = 3}, "conv"), "relu");
  const auto x = net.dense(net.dense(net.flatten(conv, "flatten"), 17, "fc0"), 21, "fc1");
  const auto gate = net.add(graph::Op::kSigmoid, {x}, {}, "gate");
  return net.finish(net.dense(net.add(graph::Op::kMul, {x, gate}, {}, "swish"), 13, "fc2"), "out");
}

std::vector<SmallNetwork> networks_with_ends() {
  const auto given = small_networks();
  std::vector<SmallNetwork> all(given.begin(), given.end());
  all.push_back({"classifier", classifier, 2, 0.02, false});
  return all;
}

std::vector<Segment> segments_of(const SmallNetwork& network, std::int64_t batch,
                                 const MachineConfig& config, const CompileOptions& options) {
  std::vector<Segment> segments;
  for (auto& part : cut_into_segments(prepared(network.of_batch(batch)), config, options)) {
    if (auto* segment = std::get_if<Segment>(&part)) segments.push_back(std::move(*segment));
  }
  return segments;
}

struct Classes {
  int rows = 0;     // segments whose layers can all be divided
  int columns = 0;  // the others
  int cycles = 0;   // segments whose cycles were compared
  int others = 0;   // for fewer images the planner decides otherwise
};

void expect_equal(const Segment& part, const Segment& expected, const MachineConfig& config,
                  Classes& classes) {
  if (part.sheets.size() != expected.sheets.size()) {
    ++classes.others;
    return;
  }
  ASSERT_EQ(part.layers.size(), expected.layers.size());
  for (std::size_t i = 0; i < part.sheets.size(); ++i) {
    EXPECT_EQ(part.sheets[i].size.rows, expected.sheets[i].size.rows) << "sheet " << i;
    EXPECT_EQ(part.sheets[i].size.channels, expected.sheets[i].size.channels) << "sheet " << i;
  }
  const MappingOptions none{.effort = SearchEffort::kNone};
  const Schedule schedule = schedule_segment(expected, config, none).schedule;
  if (is_product(schedule)) return;
  EXPECT_EQ(replay(part, schedule, config).cycles, replay(expected, schedule, config).cycles);
  ++classes.cycles;
}

TEST(FirstImagesTest, AreThoseOfASmallerBatch) {
  constexpr std::uint64_t kSeeds = 120;
  std::cout << "seeds 0 to " << kSeeds - 1 << '\n';
  Classes classes;
  const std::vector<SmallNetwork> all = networks_with_ends();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const SmallNetwork& network = all[seed % all.size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << network.name);
    const MachineConfig config = random_machine(random, ElementType::kBf16);
    const std::int64_t count = random.between(2, 4);
    const std::int64_t batch = count * random.between(2, 3);
    CompileOptions options{.mapping = {.joined_lines = random.chance(50)}};
    options.mapping.turned_results = random.chance(70);
    options.mapping.turned_values = random.chance(50);
    const std::vector<Segment> segments = segments_of(network, batch, config, options);
    const std::vector<Segment> expected = segments_of(network, count, config, options);
    ASSERT_EQ(segments.size(), expected.size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (batch_of(segments[i]) != batch || batch_of(expected[i]) != count) continue;
      const ImageDivision division(in_forms(segments[i], {}), batch);
      const auto part = first_images(segments[i], division, count);
      if (!part) continue;
      bool divides = true;
      for (std::size_t j = 0; j < segments[i].layers.size(); ++j) {
        divides = divides && division.divides(j);
      }
      ++(divides ? classes.rows : classes.columns);
      expect_equal(*part, expected[i], config, classes);
    }
  }
  std::cout << classes.rows << " in rows, " << classes.columns << " in columns, " << classes.cycles
            << " with cycles\n";
  EXPECT_GE(classes.rows, 50);
  EXPECT_GE(classes.columns, 42);
  EXPECT_GE(classes.cycles, 90);
  EXPECT_LE(classes.others, 2);
}

}  // namespace
}  // namespace weft::compiler::testing
