#include "report/explain/layer/layer_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"
#include "report/layer_table.h"
#include "report/machine_text.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/wrapped_text.h"

namespace weft::report {

namespace {

/// The layer whose name the table of `weft run` shortens to `name`; nullopt if there is none.
std::optional<std::size_t> find_short(const std::vector<std::string>& names,
                                      std::string_view name) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (short_layer_name(names[i]) != name) continue;
    if (found) {
      throw InputError(fmt::format("--layer {}: may be {} or {}; give one of them", printable(name),
                                   printable(names[*found]), printable(names[i])));
    }
    found = i;
  }
  return found;
}

/// The least that the layer's own work takes, beside what it took; empty if it needs no unit.
std::string work_line(const runtime::LayerRun& layer) {
  const compiler::WorkBound& bound = layer.bound;
  if (bound.cycles == 0) return "";
  const auto whole = [](double cycles) {
    return grouped(static_cast<std::uint64_t>(std::ceil(cycles)));
  };
  return fmt::format(
      "layer {}; its work alone takes at least {}, by the {}: array {}, vector unit {}",
      counted(static_cast<std::uint64_t>(layer.cycles), "cycle"),
      counted(static_cast<std::uint64_t>(bound.cycles), "cycle"), to_string(bound.by),
      whole(bound.array), whole(bound.vector));
}

/// The bounds of the network and of the layer.
std::string bounds_text(const LayerExplanation& explanation) {
  const runtime::NetworkRun& run = explanation.report.run;
  std::string text;
  if (run.bound && run.bound->cycles > 0) {
    text += wrapped(fmt::format("network {}, {}",
                                counted(static_cast<std::uint64_t>(run.total), "cycle"),
                                bound_line(*run.bound, run.total)));
  }
  const std::string work = work_line(explanation.asked());
  return work.empty() ? text : text + wrapped(work);
}

}  // namespace

std::size_t find_layer(const RunReport& report, std::string_view name,
                       std::string_view list_command) {
  std::vector<std::string> names;
  for (const runtime::LayerRun& layer : report.run.layers) names.push_back(layer.info.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (const auto shortened = find_short(names, name)) return *shortened;
  const std::string meant = most_similar(name, names);
  throw InputError(fmt::format("--layer {}: no such layer; {}", printable(name),
                               meant.empty() ? fmt::format("`{}` lists the layers", list_command)
                                             : fmt::format("did you mean {}?", printable(meant))));
}

Json layer_explanation_json(const LayerExplanation& explanation) {
  Json json = report_json(explanation.report);
  json["layer"] = explanation.asked().info.name;
  json["candidates"] = explanation.candidates
                           ? candidates_json(*explanation.candidates, explanation.report.machine)
                           : Json(nullptr);
  return json;
}

void print_layer(const LayerExplanation& explanation, const Streams& streams) {
  const RunReport& report = explanation.report;
  const runtime::LayerRun& layer = explanation.asked();
  if (!explanation.candidates) {
    streams.out << fmt::format("layer {}: the host computes it: {}\n", layer.info.name,
                               layer.info.note);
    return;
  }
  streams.out << machine_heading(report.machine, report.machine_file, streams.style)
              << wrapped(network_line(report))
              << wrapped(fmt::format("layer {}: {}, result {}, on the {}", layer.info.name,
                                     layer.info.op, graph::to_string(layer.info.result.shape),
                                     place_of(layer) == "array" ? "array" : "vector unit"))
              << bounds_text(explanation);
  for (const std::string& note : report.notes) streams.out << wrapped(note);
  streams.out << '\n' << candidates_text(*explanation.candidates, streams.style);
}

}  // namespace weft::report
