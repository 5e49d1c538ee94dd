#include "report/explain/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/figures.h"
#include "report/csv/csv.h"
#include "report/json.h"
#include "report/machine_json.h"
#include "report/machine_text.h"
#include "report/report_json.h"
#include "report/report_text.h"
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

// --- Keys of the machine, and the batch ---

constexpr const char* kNoFigure = "-";

/// With one decimal below a thousand, where it matters.
std::string grouped_decimal(double value) {
  return value < 1000 ? fmt::format("{:.1f}", value)
                      : grouped(static_cast<std::uint64_t>(std::llround(value)));
}

bool runs(const runtime::SweepPoint& point) {
  return point.why.empty();
}

std::string value_heading(const runtime::Sweep& sweep) {
  std::string text = fmt::format("{} for {} from {} to {}", sweep.title, sweep.dimension,
                                 sweep.points.front().value, sweep.points.back().value);
  if (!sweep.value_step) return text + fmt::format(", {} values", sweep.points.size());
  if (*sweep.value_step != "1") text += " in steps of " + *sweep.value_step;
  if (*sweep.value_step != "1" && sweep.step_chosen) text += " (chosen; give one as LO..HI:STEP)";
  return text;
}

std::vector<std::string> value_cells(const runtime::SweepPoint& point, bool per_image) {
  std::vector<std::string> cells = {point.value};
  if (!runs(point)) {
    cells.insert(cells.end(), per_image ? 6 : 5, kNoFigure);
    cells.insert(cells.end(), {"", point.why});
    return cells;
  }
  cells.insert(cells.end(), {grouped(point.folds), percent(point.waste), grouped(point.cycles)});
  if (per_image) cells.push_back(grouped_decimal(*point.cycles_per_image));
  cells.insert(cells.end(), {si(point.seconds, "s"), percent(point.utilization),
                             share_bar(point.utilization), ""});
  return cells;
}

/// "array.rows = 5000: too many"; many reasons begin with the key and its value already.
std::string misfit(const runtime::Sweep& sweep, const runtime::SweepPoint& point) {
  if (point.why.starts_with(sweep.dimension + " = ")) return point.why;
  return fmt::format("{} = {}: {}", sweep.dimension, point.value, point.why);
}

/// Says what it means if a value does not run below the table, since messages are long.
std::string value_text(const runtime::Sweep& sweep) {
  const bool per_image = sweep.dimension == "batch";
  Table table(per_image ? "rrrrrrrl" : "rrrrrrl");
  std::vector<std::string> headings = {sweep.dimension, "folds", "waste", "cycles"};
  if (per_image) headings.emplace_back("per image");
  headings.insert(headings.end(), {"time", "used", ""});
  table.add(std::move(headings));
  std::string misfits;
  for (const runtime::SweepPoint& point : sweep.points) {
    std::vector<std::string> cells = value_cells(point, per_image);
    cells.pop_back();
    table.add(std::move(cells));
    if (runs(point)) continue;
    misfits += wrapped(misfit(sweep, point));
  }
  return wrapped(value_heading(sweep)) +
         wrapped(
             "waste: the part of the issued MACs that is padding; used: useful MACs divided by "
             "the MACs that the array could have done in these cycles.") +
         '\n' + table.text(2) + misfits;
}

/// The decimal number as JSON: whole if it is whole.
Json number_json(const std::string& text) {
  if (text.find('.') == std::string::npos) return std::stoull(text);
  return std::stod(text);
}

Json value_json(const runtime::SweepPoint& point) {
  const bool ran = runs(point);
  const auto figure = [&](const auto& value) { return ran ? Json(value) : Json(nullptr); };
  return {{"size", number_json(point.value)},
          {"cycles", figure(point.cycles)},
          {"utilization", figure(point.utilization)},
          {"waste", figure(point.waste)},
          {"folds", figure(point.folds)},
          {"cliff", false},
          {"seconds", figure(point.seconds)},
          {"cycles_per_image", or_null(point.cycles_per_image)},
          {"why", ran ? Json(nullptr) : Json(point.why)}};
}

std::vector<std::string> csv_fields(const runtime::Sweep& sweep, const runtime::SweepPoint& point) {
  std::vector<std::string> fields = {sweep.is_value ? point.value : fmt::to_string(point.size)};
  if (!runs(point)) {
    fields.resize(sweep.is_value ? 7 : 5);
  } else {
    fields.insert(fields.end(), {fmt::to_string(point.cycles), fmt::to_string(point.utilization),
                                 fmt::to_string(point.waste), fmt::to_string(point.folds)});
    if (sweep.is_value) {
      fields.push_back(fmt::to_string(point.seconds));
      fields.push_back(point.cycles_per_image ? fmt::to_string(*point.cycles_per_image) : "");
    }
  }
  fields.push_back(sweep.is_value ? point.why : point.cliff ? "1" : "0");
  return fields;
}

}  // namespace

Json sweep_json(const runtime::Sweep& sweep) {
  Json points = Json::array();
  for (const runtime::SweepPoint& point : sweep.points) {
    if (sweep.is_value) {
      points.push_back(value_json(point));
      continue;
    }
    points.push_back({{"size", point.size},
                      {"cycles", point.cycles},
                      {"utilization", point.utilization},
                      {"waste", point.waste},
                      {"folds", point.folds},
                      {"cliff", point.cliff}});
  }
  return {{"dimension", sweep.dimension},
          {"workload", sweep.kind},
          {"counts", sweep.meaning.empty() ? Json(nullptr) : Json(sweep.meaning)},
          {"tile", or_null(sweep.tile)},
          {"step", sweep.value_step ? number_json(*sweep.value_step)
                   : sweep.is_value ? Json(nullptr)
                                    : Json(sweep.step)},
          {"points", std::move(points)}};
}

std::string sweep_csv(const runtime::Sweep& sweep) {
  std::vector<std::string> header = {sweep.dimension, "cycles", "utilization", "waste", "folds"};
  if (sweep.is_value) {
    header.insert(header.end(), {"seconds", "cycles_per_image", "why"});
  } else {
    header.emplace_back("cliff");
  }
  std::string text = csv_line(header);
  for (const runtime::SweepPoint& point : sweep.points) text += csv_line(csv_fields(sweep, point));
  return text;
}

std::string sweep_text(const runtime::Sweep& sweep) {
  if (sweep.is_value) return value_text(sweep);
  Table table("rrrrrll");
  table.add({sweep.dimension, "folds", "waste", "cycles", "used", "", ""});
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

Json network_sweep_json(const NetworkSweep& network) {
  return {{"schema", 1},
          {"command", "explain"},
          {"engine", to_string(Engine::kAnalytic)},
          {"machine", described_machine_json(network.report.machine, network.report.machine_file)},
          {"workload", workload_json(network.report)},
          {"sweep", sweep_json(network.sweep)}};
}

Json network_sweep_page_data(const NetworkSweep& network, const std::string& command_line) {
  return {{"title", fmt::format("explain {} for {}", network.report.network().name,
                                network.sweep.dimension)},
          {"command", command_line},
          {"lines",
           {network_line(network.report),
            machine_title(network.report.machine, network.report.machine_file)}},
          {"report", {{"schema", 1}, {"command", "explain"}}},
          {"sweep", sweep_json(network.sweep)}};
}

void print_network_sweep(const NetworkSweep& network, const Streams& streams) {
  const RunReport& report = network.report;
  streams.out << machine_heading(report.machine, report.machine_file, streams.style)
              << wrapped(network_line(report)) << '\n'
              << sweep_text(network.sweep);
}

}  // namespace weft::report
