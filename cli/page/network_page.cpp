#include "cli/page/network_page.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>

#include "cli/json.h"
#include "cli/report.h"
#include "sim/stats/summary.h"

namespace weft::cli {
namespace {

using network::LayerInfo;
using network::MachineStep;

double padding_share(const LayerInfo& info) {
  return 1 - static_cast<double>(info.macs) / static_cast<double>(info.issued_macs);
}

Json reasons(const LayerRun& layer) {
  std::string text;
  for (const std::string& note : notes_of(layer)) text += (text.empty() ? "" : "; ") + note;
  return text.empty() ? Json(nullptr) : Json(text);
}

/// `begin` is the layer's first cycle.
Json layer_json(const LayerRun& layer, const MachineConfig& machine, Cycle begin) {
  const LayerInfo& info = layer.info;
  const bool on_array = info.issued_macs > 0;
  return {{"name", info.name},
          {"operator", info.op},
          {"shape", graph::to_string(info.result.shape)},
          {"on", place_of(layer)},
          {"tiles", on_array
                        ? Json(fmt::format("{} x {} x {}", info.k_tiles, info.n_tiles, info.chunks))
                        : Json(nullptr)},
          {"padding", on_array ? Json(padding_share(info)) : Json(nullptr)},
          {"cycles", layer.on_host ? Json(nullptr) : Json(layer.cycles)},
          {"utilization",
           on_array ? or_null(utilization(machine, info.macs, layer.cycles)) : Json(nullptr)},
          {"ledger", layer.on_host ? Json(nullptr) : ledger_json(layer.ledger)},
          {"tile_map", nullptr},
          {"begin", layer.on_host ? Json(nullptr) : Json(begin)},
          {"why", reasons(layer)}};
}

Json layers_json(const NetworkReport& report) {
  Json list = Json::array();
  Cycle begin = 0;
  for (const LayerRun& layer : report.run.layers) {
    list.push_back(layer_json(layer, report.machine, begin));
    begin += layer.cycles;
  }
  return list;
}

std::vector<RooflinePoint> roofline_points(const NetworkReport& report) {
  std::vector<RooflinePoint> points;
  for (const LayerRun& layer : report.run.layers) {
    const LayerInfo& info = layer.info;
    if (info.issued_macs == 0) continue;
    points.push_back({info.name,
                      info.macs,
                      {info.weight_bytes, info.input_bytes, info.output_bytes},
                      layer.cycles});
  }
  return points;
}

PageRun page_run(const network::NetworkProgram& program, const NetworkReport& report) {
  PageRun run{report.machine};
  auto timeline = report.run.timelines.begin();
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    const Cycle total = total_cycles(*timeline);
    run.programs.push_back({machine->program, *timeline, run.total, total});
    run.total += total;
    ++timeline;
  }
  return run;
}

Json animation_json(const NetworkReport& report, Json& notes) {
  if (!report.run.recording) {
    notes.push_back(report.run.programs == 0
                        ? "The array is not animated: no layer ran on it."
                        : "The array is not animated: the analytic engine has no values.");
    return nullptr;
  }
  return array_json(*report.run.recording, report.run.total, notes);
}

}  // namespace

Json network_page_data(const NetworkJob& job, const network::NetworkProgram& program,
                       const NetworkReport& report) {
  Json notes = Json::array();
  Json data = {{"title", fmt::format("{} {} on {}", job.command, job.network, job.machine.name)},
               {"command", job.command_line},
               {"report", network_report_json(report)},
               {"tiles", Json::array()},
               {"layers", layers_json(report)}};
  if (report.run.programs > 0) {
    data["timeline"] = timeline_json(page_run(program, report), notes);
    data["roofline"] = roofline_json(job.machine, roofline_points(report));
  }
  data["array"] = animation_json(report, notes);
  data["notes"] = std::move(notes);
  return data;
}

}  // namespace weft::cli
