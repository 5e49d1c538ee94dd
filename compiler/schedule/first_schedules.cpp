#include "compiler/schedule/first_schedules.h"

#include <variant>

#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/replay.h"
#include "compiler/schedule/segment/schedule_segment.h"
#include "compiler/segments/segments.h"

namespace weft::compiler {

std::pair<Cycle, Cycle> FirstSchedules::compare(const CompileOptions& others) {
  const auto other = cycles_of(others, true);
  if (!of_image_) of_image_.emplace(cycles_of(options_, true));
  if (other && *of_image_) return {**of_image_, *other};
  if (!of_batch_) of_batch_ = cycles_of(options_, false);
  return {*of_batch_, *cycles_of(others, false)};
}

std::optional<Cycle> FirstSchedules::cycles_of(const CompileOptions& options, bool of_image) {
  MappingOptions unsearched = options.mapping;
  unsearched.effort = SearchEffort::kNone;
  unsearched.line_bands = false;  // only a search shows what they are worth
  unsearched.progress = {};
  Cycle cycles = 0;
  for (auto& step : cut_into_segments(graph_, config_, options)) {
    auto* segment = std::get_if<Segment>(&step);
    if (segment == nullptr) continue;
    if (of_image) *segment = least_part(std::move(*segment), options.mapping);
    if (of_image && batch_of(*segment) > 1) return std::nullopt;
    const CostedSchedule costed = schedule_segment(*segment, config_, unsearched);
    const Schedule& schedule = costed.schedule;
    if (is_product(schedule)) {
      cycles += costed.cycles.value_or(0);
      continue;
    }
    cycles += replay(*segment, schedule, config_).cycles;
    if (&options == &options_ && spills(*segment, schedule)) fits_buffer_ = false;
  }
  return cycles;
}

}  // namespace weft::compiler
