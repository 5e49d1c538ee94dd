// Which schedules let images leave the unified buffer, and in which bands the search tries them.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
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
  for (const std::size_t i : {3U, 4U}) bands.counts[i] = 2;
  bands.keeps_halo[3] = bands.keeps_halo[4] = true;
  std::set<std::vector<bool>> tried;
  for (const LineBands& each : neighbors_of(bands, without_bands(found.segment, *found.choices))) {
    if (each.counts == bands.counts) tried.insert(each.keeps_halo);
  }
  const auto halos = [&](bool first_stack, bool second_stack) {
    std::vector<bool> keeps(layers, false);
    keeps[0] = keeps[1] = first_stack;
    keeps[3] = keeps[4] = second_stack;
    return keeps;
  };
  EXPECT_EQ(tried, (std::set{halos(true, true), halos(false, false)}));
  std::vector<bool> of_one_layer = halos(false, true);
  of_one_layer[4] = false;
  EXPECT_EQ(with_other_halos(bands, {4, 5}).keeps_halo, of_one_layer);
  EXPECT_EQ(with_other_halos(bands, {2, 3}), bands) << "the layer takes all lines at once";
}

}  // namespace
}  // namespace weft::compiler::testing
