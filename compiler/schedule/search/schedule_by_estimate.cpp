#include "compiler/schedule/search/schedule_by_estimate.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/layers/line_bands.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/program/capacities.h"
#include "compiler/schedule/choose_bands.h"
#include "compiler/schedule/choose_groups.h"
#include "compiler/schedule/divide_buffer.h"
#include "compiler/schedule/search/array_work.h"

namespace weft::compiler {
namespace {

/// The fewest cycles of a tile in the array, in rows of the array. The weights of the next tile
/// move in meanwhile, and few rows wait for them: 128 rows took 195 cycles on an array of 128 rows.
constexpr double kLeastRows = 1.5;

class ScheduleEstimate {
 public:
  /// `decides`: no replay follows.
  ScheduleEstimate(const Segment& segment, const Schedule& schedule, const MachineConfig& config,
                   bool decides)
      : parts_(in_parts(segment, schedule)),
        schedule_(schedule),
        config_(config),
        places_(config, parts_.segment.sheets, schedule.buffer),
        least_pass_(decides ? kLeastRows * config.array_rows : 0) {}

  double cycles() const {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.layers.size(); ++i) sum += cycles_of(i);
    return sum;
  }

 private:
  double cycles_of(std::size_t layer) const {
    const LayerBody& body = parts_.segment.layers[layer].body;
    ArrayWork work;
    if (const auto* contraction = std::get_if<ContractionLayer>(&body)) {
      work = array_work(*contraction, schedule_.layers[layer].mappings.front(), config_);
    }
    double sheet_bytes = 0;
    for_each_input_sheet(body, [&](std::size_t id) {
      const auto& stay = schedule_.sheets[id];
      if (stay && stay->from_layer == layer) {
        sheet_bytes += bytes_of(id);  // from the host, or it passed through so far
      } else {
        sheet_bytes += passing_bytes(layer, id);
      }
    });
    sheet_bytes += passing_bytes(layer, result_view(body).sheet);
    return std::max(
        {work.cycles, work.passes * least_pass_, transfer_cycles(work.weight_bytes, sheet_bytes)});
  }

  /// What a layer's part moves of a sheet that does not stay: the rows of its images and lines.
  double passing_bytes(std::size_t layer, std::size_t sheet) const {
    const auto& stay = schedule_.sheets[sheet];
    if (stay && stay->from_layer <= layer) return 0;
    const auto rows = static_cast<double>(parts_.segment.sheets[sheet].size.rows);
    const auto whole = static_cast<double>(parts_.sheets[sheet].whole_rows);
    const PositionRange& part = parts_.layers[layer].rows;
    const std::size_t out = result_view(parts_.segment.layers[layer].body).sheet;
    const double share = static_cast<double>(part.last - part.first) /
                         static_cast<double>(parts_.sheets[out].whole_rows);
    return bytes_of(sheet) * std::min(1.0, share * whole / rows);
  }

  double bytes_of(std::size_t sheet) const {
    return static_cast<double>(places_.total_rows(sheet)) * config_.row_bytes();
  }

  double transfer_cycles(double weight_bytes, double sheet_bytes) const {
    const auto at = [&](double bytes, std::uint64_t bytes_per_s) {
      return bytes * static_cast<double>(config_.clock_hz) / static_cast<double>(bytes_per_s);
    };
    switch (config_.memory_kind) {
      case MemoryKind::kIdeal:
        return 0;
      case MemoryKind::kShared:
        return at(weight_bytes + sheet_bytes, config_.memory_bytes_per_s);
      case MemoryKind::kSplit:
        return std::max(at(weight_bytes, config_.memory_bytes_per_s),
                        at(sheet_bytes, config_.host_bytes_per_s));
    }
    return 0;
  }

  const PartedSegment parts_;
  const Schedule& schedule_;
  const MachineConfig& config_;
  const Places places_;
  const double least_pass_;  // cycles
};

/// Keeps the schedule with the fewest estimated cycles.
class BestEstimate {
 public:
  BestEstimate(const Segment& segment, const MachineConfig& config, std::uint64_t margin,
               bool decides)
      : segment_(segment), config_(config), margin_(margin), decides_(decides) {}

  /// With several sizes of staging.
  void consider(ScheduleChoices choices) {
    for (const std::uint64_t share : {4U, 16U}) {
      choices.buffer = with_staging(config_, margin_, usable_rows(config_) / share);
      auto scheduled = schedule_layers(segment_, config_, choices);
      auto* schedule = std::get_if<Schedule>(&scheduled);
      if (schedule == nullptr) continue;
      const double cycles = ScheduleEstimate(segment_, *schedule, config_, decides_).cycles();
      if (best && cycles >= least_) continue;
      least_ = cycles;
      best = CostedSchedule{std::move(*schedule), choices, std::nullopt, 0};
    }
  }

  std::optional<CostedSchedule> best;

 private:
  const Segment& segment_;
  const MachineConfig& config_;
  const std::uint64_t margin_;
  const bool decides_;
  double least_ = 0;
};

}  // namespace

double estimated_cycles(const Segment& segment, const Schedule& schedule,
                        const MachineConfig& config) {
  return ScheduleEstimate(segment, schedule, config, true).cycles();
}

std::optional<CostedSchedule> schedule_by_estimate(const Segment& segment,
                                                   const MachineConfig& config,
                                                   const ScheduleChoices& start,
                                                   std::uint64_t margin, bool decides) {
  const std::int64_t images = batch_of(segment);
  if (images <= 1 && !decides) return std::nullopt;
  std::vector<ImageGroups> all = {start.groups};
  const ImageDivision division(in_forms(segment, start.forms), images);
  for (const std::uint32_t part : {1U, 2U, 4U}) {
    Capacities capacities = capacities_of(config);
    capacities.unified_buffer_kib = std::max(1U, capacities.unified_buffer_kib / part);
    const MachineConfig smaller = with_capacities(config, capacities);
    for (ImageGroups& groups : fitting_groups(segment, division, smaller)) {
      if (std::ranges::find(all, groups) == all.end()) all.push_back(std::move(groups));
    }
  }
  BestEstimate found(segment, config, margin, decides);
  ScheduleChoices choices = start;
  for (ImageGroups& groups : all) {
    choices.groups = std::move(groups);
    found.consider(choices);
  }
  if (decides && found.best && spills(segment, found.best->schedule)) {
    choices = *found.best->choices;
    const PartedSegment parts = without_bands(segment, choices);
    for (LineBands& bands : fitting_bands(parts, segment.layers.size(), config)) {
      choices.bands = std::move(bands);
      found.consider(choices);
    }
  }
  const bool divides = found.best && (images > 1 || !found.best->choices->bands.counts.empty());
  return divides ? std::move(found.best) : std::nullopt;
}

}  // namespace weft::compiler
