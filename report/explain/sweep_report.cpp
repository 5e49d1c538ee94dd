#include "report/explain/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json.h"
#include "report/text.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

std::string note(const runtime::SweepPoint& point, const runtime::Sweep& sweep) {
  if (!point.cliff) return "";
  if (!sweep.tile) return "<- one row more, one chunk more";
  return fmt::format("<- one past {} of {}", counted((point.size - 1) / *sweep.tile, "tile"),
                     *sweep.tile);
}

/// The share as a bar of up to 20 characters.
std::string share_bar(double share) {
  constexpr double kWidth = 20;
  return std::string(static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kWidth)),
                     '#');
}

std::string heading(const runtime::Sweep& sweep) {
  std::string text =
      fmt::format("{} for {} from {} to {}", sweep.title, sweep.dimension,
                  grouped(sweep.points.front().size), grouped(sweep.points.back().size));
  if (sweep.step > 1) text += fmt::format(" in steps of {}", grouped(sweep.step));
  if (sweep.step > 1 && sweep.step_chosen) {
    text += sweep.tile ? " (chosen; give one as LO..HI:STEP) and at whole tiles"
                       : " (chosen; give one as LO..HI:STEP)";
  }
  return text;
}

}  // namespace

Json sweep_json(const runtime::Sweep& sweep) {
  Json points = Json::array();
  for (const runtime::SweepPoint& point : sweep.points) {
    points.push_back({{"size", point.size},
                      {"cycles", point.cycles},
                      {"utilization", point.utilization},
                      {"waste", point.waste},
                      {"folds", point.folds},
                      {"cliff", point.cliff}});
  }
  return {{"dimension", std::string(1, sweep.dimension)},
          {"workload", sweep.kind},
          {"counts", sweep.meaning.empty() ? Json(nullptr) : Json(sweep.meaning)},
          {"tile", or_null(sweep.tile)},
          {"step", sweep.step},
          {"points", std::move(points)}};
}

std::string sweep_text(const runtime::Sweep& sweep) {
  Table table("rrrrrll");
  table.add({std::string(1, sweep.dimension), "folds", "waste", "cycles", "used", "", ""});
  for (const runtime::SweepPoint& point : sweep.points) {
    table.add({grouped(point.size), grouped(point.folds), percent(point.waste),
               grouped(point.cycles), percent(point.utilization), share_bar(point.utilization),
               note(point, sweep)});
  }
  return wrapped(heading(sweep)) +
         wrapped(
             "waste: the part of the issued MACs that is padding; used: useful MACs divided by "
             "the MACs that the array could have done in these cycles.") +
         '\n' + table.text(2);
}

}  // namespace weft::report
