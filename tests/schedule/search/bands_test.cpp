// Which schedules let images leave the unified buffer, and in which bands the search tries them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/layers/used_sheets.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/compile_network.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

/// LeNet-5 on a machine on which everything stays in the buffer.
ScheduledSegment lenet() {
  MachineConfig config = small_machine(ElementType::kBf16, 16, 16);
  config.unified_buffer_kib = 1024;
  const MappingOptions mapping = {.joined_lines = false, .effort = SearchEffort::kNone};
  ScheduledNetwork network =
      schedule_network(prepared(small_networks()[0].build()), config, {.mapping = mapping});
  return std::move(std::get<ScheduledSegment>(network.steps.front()));
}

TEST(SpillsTest, ASheetThatStaysOnlyFromALaterLayerOnHasLeftTheBuffer) {
  const ScheduledSegment found = lenet();
  ASSERT_FALSE(spills(found.segment, found.schedule));
  ASSERT_TRUE(fits_buffer(found.segment, found.schedule));
  const PartedSegment parts = in_parts(found.segment, found.schedule);
  int handed_over = 0;
  for (std::size_t i = 0; i + 1 < parts.layers.size(); ++i) {
    const std::size_t sheet = result_view(parts.segment.layers[i].body).sheet;
    bool is_read = false;
    for_each_input_sheet(parts.segment.layers[i + 1].body,
                         [&](std::size_t id) { is_read = is_read || id == sheet; });
    if (!is_read) continue;
    ++handed_over;
    Schedule changed = found.schedule;
    ASSERT_TRUE(changed.sheets[sheet]);
    changed.sheets[sheet]->from_layer = i + 1;
    EXPECT_TRUE(spills(found.segment, changed)) << i;
    changed.sheets[sheet].reset();
    EXPECT_TRUE(spills(found.segment, changed)) << i;
  }
  EXPECT_GT(handed_over, 3);
}

TEST(LineBandsTest, HalosOfAllStacksAndOfEachAreTriedTheOtherWay) {
  const ScheduledSegment found = lenet();
  const std::size_t layers = found.segment.layers.size();
  ASSERT_GE(layers, 5U);
  LineBands bands;
  bands.counts.assign(layers, 1);
  bands.keeps_halo.assign(layers, false);
  for (const std::size_t i : {0U, 1U}) bands.counts[i] = 4;
  for (const std::size_t i : {2U, 3U}) bands.counts[i] = 2;
  bands.keeps_halo[2] = bands.keeps_halo[3] = true;
  std::set<std::vector<bool>> tried;
  for (const LineBands& each : neighbors_of(bands, without_bands(found.segment, *found.choices))) {
    if (each.counts == bands.counts) tried.insert(each.keeps_halo);
  }
  const auto halos = [&](bool first_stack, bool second_stack) {
    std::vector<bool> keeps(layers, false);
    keeps[0] = keeps[1] = first_stack;
    keeps[2] = keeps[3] = second_stack;
    return keeps;
  };
  EXPECT_EQ(tried, (std::set{halos(true, true), halos(false, false)}));
  std::vector<bool> of_one_layer = halos(false, true);
  of_one_layer[3] = false;
  EXPECT_EQ(with_other_halos(bands, {3, 4}).keeps_halo, of_one_layer);
  EXPECT_EQ(with_other_halos(bands, {4, 5}), bands) << "the layer takes all lines at once";
}

TEST(LineBandsTest, NearCountsAreAQuarterOrOneAwayWithEitherHalo) {
  const ScheduledSegment found = lenet();
  LineBands bands;
  bands.counts.assign(found.segment.layers.size(), 1);
  bands.keeps_halo.assign(found.segment.layers.size(), false);
  bands.counts[0] = bands.counts[1] = 8;  // of 24 and 12 lines
  bands.keeps_halo[0] = bands.keeps_halo[1] = true;
  std::set<std::pair<std::int64_t, bool>> tried;
  for (const LineBands& each :
       near_counts_of(bands, without_bands(found.segment, *found.choices))) {
    tried.insert({each.counts[0], each.keeps_halo[0]});
    EXPECT_EQ(each.counts[1], each.counts[0]);
    EXPECT_EQ(each.keeps_halo[1], each.keeps_halo[0]);
    EXPECT_EQ(each.counts[2], 1);
  }
  EXPECT_EQ(tried, (std::set<std::pair<std::int64_t, bool>>{{6, true},
                                                            {6, false},
                                                            {7, true},
                                                            {7, false},
                                                            {9, true},
                                                            {9, false},
                                                            {10, true},
                                                            {10, false}}));
}

TEST(LineBandsTest, NearCountsAreNoMoreThanTheLinesOfALayer) {
  const ScheduledSegment found = lenet();
  const PartedSegment parts = without_bands(found.segment, *found.choices);
  const std::int64_t most = most_bands_of_layers(parts, found.segment.layers.size())[1];
  LineBands bands;
  bands.counts.assign(found.segment.layers.size(), 1);
  bands.keeps_halo.assign(found.segment.layers.size(), false);
  bands.counts[1] = most;
  ASSERT_GT(most, 4);
  const std::vector<LineBands> near = near_counts_of(bands, parts);
  EXPECT_EQ(near.size(), 4U);
  for (const LineBands& each : near) EXPECT_LT(each.counts[1], most);
}

}  // namespace
}  // namespace weft::compiler::testing
