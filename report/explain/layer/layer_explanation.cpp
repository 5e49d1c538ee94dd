#include "report/explain/layer/layer_explanation.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

std::size_t find_layer(const RunReport& report, std::string_view name) {
  std::vector<std::string> names;
  for (const runtime::LayerRun& layer : report.run.layers) names.push_back(layer.info.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (const auto shortened = find_short(names, name)) return *shortened;
  const std::string meant = most_similar(name, names);
  throw InputError(fmt::format(
      "--layer {}: no such layer; {}", printable(name),
      meant.empty() ? fmt::format("`weft run {}` lists the layers", report.network().name)
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
                                     place_of(layer) == "array" ? "array" : "vector unit"));
  for (const std::string& note : report.notes) streams.out << wrapped(note);
  streams.out << '\n' << candidates_text(*explanation.candidates, streams.style);
}

}  // namespace weft::report
