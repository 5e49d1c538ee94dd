#include "cli/page/network_page.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>

#include "cli/explain/fold_account.h"
#include "cli/json.h"
#include "cli/report.h"
#include "cli/span_excess.h"
#include "sim/analysis/summary.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

using network::LayerInfo;
using network::MachineStep;

double padding_share(const LayerInfo& info) {
  return 1 - static_cast<double>(info.macs) / static_cast<double>(info.issued_macs);
}

Json reasons(const runtime::LayerRun& layer) {
  std::string text;
  for (const std::string& note : notes_of(layer)) text += (text.empty() ? "" : "; ") + note;
  return text.empty() ? Json(nullptr) : Json(text);
}

bool has_tiles(const runtime::LayerRun& layer) {
  return !layer.info.tiles.n.empty();
}

Json tile_map_json(const LayerInfo& info, const MachineConfig& machine) {
  const network::LayerTiles& tiles = info.tiles;
  const std::string products =
      tiles.products == 1 ? std::string() : fmt::format(", one of {} products", tiles.products);
  return {{"name", info.name + products},
          {"m", tiles.m.back()},
          {"k", tiles.k.back()},
          {"n", tiles.n.back()},
          {"tile_k", machine.array_rows},
          {"tile_n", machine.array_cols},
          {"m_edges", tiles.m},
          {"k_edges", tiles.k},
          {"n_edges", tiles.n},
          {"waste", padding_share(info)},
          {"operands", {"activations", "weights", "result"}}};
}

Json tile_maps_json(const NetworkReport& report) {
  Json maps = Json::array();
  for (const runtime::LayerRun& layer : report.run.layers) {
    if (has_tiles(layer)) maps.push_back(tile_map_json(layer.info, report.machine));
  }
  return maps;
}

/// `begin` is the layer's first cycle, `map` the number of its tile map.
Json listed_layer_json(const runtime::LayerRun& layer, const MachineConfig& machine, Cycle begin,
                       std::int32_t map) {
  const LayerInfo& info = layer.info;
  const bool on_array = info.issued_macs > 0;
  return {{"name", info.name},
          {"operator", info.op},
          {"shape", graph::to_string(info.result.shape)},
          {"on", place_of(layer)},
          {"tiles", on_array ? Json(info.k_tiles * info.n_tiles) : Json(nullptr)},
          {"padding", on_array ? Json(padding_share(info)) : Json(nullptr)},
          {"cycles", layer.on_host ? Json(nullptr) : Json(layer.cycles)},
          {"utilization",
           on_array ? or_null(utilization(machine, info.macs, layer.cycles)) : Json(nullptr)},
          {"ledger", layer.on_host ? Json(nullptr) : ledger_json(layer.ledger)},
          {"tile_map", has_tiles(layer) ? Json(map) : Json(nullptr)},
          {"begin", layer.on_host ? Json(nullptr) : Json(begin)},
          {"why", reasons(layer)}};
}

Json layer_list_json(const NetworkReport& report) {
  Json list = Json::array();
  Cycle begin = 0;
  std::int32_t map = 0;
  for (const runtime::LayerRun& layer : report.run.layers) {
    list.push_back(listed_layer_json(layer, report.machine, begin, map));
    if (has_tiles(layer)) ++map;
    begin += layer.cycles;
  }
  return list;
}

std::vector<RooflinePoint> roofline_points(const NetworkReport& report) {
  std::vector<RooflinePoint> points;
  for (const runtime::LayerRun& layer : report.run.layers) {
    const LayerInfo& info = layer.info;
    if (info.issued_macs == 0) continue;
    points.push_back({info.name,
                      info.macs,
                      {info.weight_bytes, info.input_bytes, info.output_bytes},
                      layer.cycles});
  }
  return points;
}

std::vector<InstructionTile> tiles_of(const MachineStep& step) {
  std::vector<InstructionTile> tiles;
  tiles.reserve(step.instruction_tile.size());
  for (const network::TileNumbers& tile : step.instruction_tile) {
    tiles.push_back({tile.chunk, tile.k_tile, tile.n_tile});
  }
  return tiles;
}

/// The tile map of each instruction's layer. `maps` counts the maps of the programs so far.
std::vector<std::int32_t> maps_of(const MachineStep& step, std::int32_t& maps) {
  std::vector<std::int32_t> of_layer;
  for (const LayerInfo& info : step.layers) {
    of_layer.push_back(info.tiles.n.empty() ? -1 : maps++);
  }
  std::vector<std::int32_t> list;
  list.reserve(step.instruction_layer.size());
  for (const std::uint32_t layer : step.instruction_layer) list.push_back(of_layer[layer]);
  return list;
}

PageRun page_run(const network::NetworkProgram& program, const NetworkReport& report) {
  PageRun run{report.machine};
  std::int32_t maps = 0;
  auto timeline = report.run.timelines.begin();
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    const Cycle total = total_cycles(*timeline);
    run.programs.push_back({machine->program, *timeline, run.total, total, tiles_of(*machine),
                            maps_of(*machine, maps)});
    run.total += total;
    ++timeline;
  }
  return run;
}

/// The formula of a convolution, if the network is one convolution in one program on the array;
/// else null.
Json conv_formula_json(const NetworkJob& job, const network::NetworkProgram& program,
                       const NetworkReport& report) {
  if (!job.conv || program.steps.size() != 1) return nullptr;
  const auto* step = std::get_if<MachineStep>(&program.steps.front());
  if (step == nullptr || step->layers.size() != 1 || most_rows(step->program) == 0) return nullptr;
  const Result result = summarize(job.machine, step->program, report.run.timelines.front());
  const FormulaTerms formula = fold_formula(job.machine, step->program);
  return formula_page_json(
      formula, result.array_span,
      span_excess(job.machine, result, formula.cycles(), rows_of_folds(step->program).size()));
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
  Json data = {
      {"title", fmt::format("{} {} on {}", job.command, job.network, machine_title(job.machine))},
      {"command", job.command_line},
      {"report", network_report_json(report)},
      {"tiles", tile_maps_json(report)},
      {"layers", layer_list_json(report)}};
  if (report.run.programs > 0) {
    data["timeline"] = timeline_json(page_run(program, report), notes);
    data["roofline"] = roofline_json(job.machine, roofline_points(report));
  }
  if (Json formula = conv_formula_json(job, program, report); !formula.is_null()) {
    data["formula"] = std::move(formula);
  }
  if (!job.page_parts.is_null()) data.update(job.page_parts);
  data["array"] = animation_json(report, notes);
  data["notes"] = std::move(notes);
  return data;
}

}  // namespace weft::cli
