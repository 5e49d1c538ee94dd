#include "report/page/run_page.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/figures.h"
#include "compiler/blocks/map_folds.h"
#include "report/machine_json.h"
#include "report/page/mapping_json.h"
#include "report/report_json.h"
#include "runtime/analysis/fold_count.h"
#include "runtime/analysis/span_excess.h"
#include "runtime/job/one_layer.h"
#include "sim/analysis/summary.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

using compiler::LayerInfo;
using compiler::MachineStep;

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

Json tile_map_json(const LayerInfo& info, const RunReport& report) {
  const compiler::LayerTiles& tiles = info.tiles;
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  const std::string products =
      tiles.products == 1 ? std::string() : fmt::format(", one of {} products", tiles.products);
  return {{"name", info.name + products},
          {"m", tiles.m.back()},
          {"k", tiles.k.back()},
          {"n", tiles.n.back()},
          {"tile_k", report.machine.array_rows},
          {"tile_n", report.machine.array_cols},
          {"m_edges", tiles.m},
          {"k_edges", tiles.k},
          {"n_edges", tiles.n},
          {"useful", info.macs / tiles.products},
          {"waste", product != nullptr ? product->plan->padding_waste() : padding_share(info)},
          {"operands", product != nullptr ? Json({"A", "B", "C"})
                                          : Json({"activations", "weights", "result"})}};
}

/// `mapping`: the number of the layer's drawing.
std::size_t add_mapping(const LayerInfo& info, const RunReport& report, MappingList& mappings) {
  const MachineConfig& machine = report.machine;
  if (const ProductPart* product = std::get_if<ProductPart>(&report.part)) {
    const TilingPlan& plan = *product->plan;
    return mappings.add(info, compiler::map_folds(plan.spec.k, plan.spec.n, plan, machine),
                        plan.padding_waste(), machine);
  }
  return mappings.add(info, *info.folds, padding_share(info), machine);
}

Json tile_maps_json(const RunReport& report, MappingList& mappings) {
  Json maps = Json::array();
  for (const runtime::LayerRun& layer : report.run.layers) {
    if (!has_tiles(layer)) continue;
    maps.push_back(tile_map_json(layer.info, report));
    maps.back()["mapping"] = add_mapping(layer.info, report, mappings);
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
          {"path", layer.on_host ? Json(nullptr) : Json(layer.path.sum())},
          {"critical_path", layer.on_host ? Json(nullptr) : critical_path_json(layer.path)},
          {"tile_map", has_tiles(layer) ? Json(map) : Json(nullptr)},
          {"lanes", info.lanes.empty() ? Json(nullptr) : Json(lanes_text(info, machine))},
          {"begin", layer.on_host ? Json(nullptr) : Json(begin)},
          {"why", reasons(layer)}};
}

Json layer_list_json(const RunReport& report) {
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

/// A program that does not say what it computes counts its issued MACs.
std::vector<RooflinePoint> roofline_points(const RunReport& report) {
  std::vector<RooflinePoint> points;
  for (const runtime::LayerRun& layer : report.run.layers) {
    const LayerInfo& info = layer.info;
    if (info.issued_macs == 0 && !report.is_product()) continue;
    points.push_back({info.name, info.op.empty() ? info.issued_macs : info.macs,
                      layer.events.memory_bytes, layer.events.host_bytes, layer.cycles});
  }
  return points;
}

std::vector<InstructionTile> tiles_of(const MachineStep& step) {
  std::vector<InstructionTile> tiles;
  tiles.reserve(step.instruction_tile.size());
  for (const compiler::TileNumbers& tile : step.instruction_tile) {
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

PageRun page_run(const compiler::NetworkProgram& program, const RunReport& report) {
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

Json product_formula(const MachineConfig& machine, const ProductPart& product) {
  if (!product.plan) return nullptr;
  const TilingPlan& plan = *product.plan;
  return formula_page_json(
      plan.formula, product.array_span,
      runtime::span_excess(machine, product.span_ledger, plan.formula_cycles(), plan.folds));
}

/// The formula of a convolution, if the network is one convolution in one program on the array, or
/// of a product that the compiler planned; else null.
Json formula_part(const RunReport& report, const compiler::NetworkProgram& program) {
  if (const ProductPart* product = std::get_if<ProductPart>(&report.part)) {
    return product_formula(report.machine, *product);
  }
  if (!report.network().conv || program.steps.size() != 1) return nullptr;
  const auto* step = std::get_if<MachineStep>(&program.steps.front());
  if (step == nullptr || step->layers.size() != 1) return nullptr;
  const runtime::FoldCount folds = runtime::count_folds(report.machine, step->program);
  if (folds.folds() == 0) return nullptr;
  const Result result = summarize(report.machine, step->program, report.run.timelines.front());
  const FormulaTerms formula = folds.formula();
  return formula_page_json(
      formula, result.array_span,
      runtime::span_excess(report.machine, result.span_ledger, formula.cycles(), folds.folds()));
}

/// Says why a product has no tile map.
void note_missing_map(const RunReport& report, Json& notes) {
  const std::optional<TilingPlan>& plan = report.product().plan;
  if (!plan) {
    notes.push_back(
        "There is no tile map and no closed form: the program does not say what it computes.");
  } else if (!has_tiles(report.run.layers.front())) {
    notes.push_back(fmt::format(
        "There is no tile map: with {} along M, {} tiles along K and {} along N it would have "
        "more than {} edges.",
        counted(plan->m_chunks, "chunk"), grouped(plan->k_tiles), grouped(plan->n_tiles),
        grouped(runtime::kMostTileEdges)));
  }
}

Json animation_json(const RunReport& report, const PageParts& parts, Json& notes) {
  if (report.run.recording) return array_json(*report.run.recording, report.run.total, notes);
  std::string why = parts.not_animated;
  if (why.empty()) {
    why = report.run.programs == 0 ? "no layer ran on it" : "the analytic engine has no values";
  }
  notes.push_back(fmt::format("The array is not animated: {}.", why));
  return nullptr;
}

}  // namespace

Json run_page_data(const RunReport& report, const compiler::NetworkProgram& program,
                   const std::string& command_line, const PageParts& parts) {
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  Json notes = Json::array();
  MappingList mappings;
  Json data = {{"title", run_title(report)},
               {"command", command_line},
               {"report", report_json(report)},
               {"tiles", tile_maps_json(report, mappings)}};
  data["mappings"] = mappings.list();
  if (product == nullptr) data["layers"] = layer_list_json(report);
  if (product != nullptr) note_missing_map(report, notes);
  if (report.run.programs > 0) {
    data["timeline"] = timeline_json(page_run(program, report), notes);
    data["roofline"] = roofline_json(report.machine, roofline_points(report));
  }
  if (Json formula = formula_part(report, program); !formula.is_null()) {
    data["formula"] = std::move(formula);
  }
  if (!parts.data.is_null()) data.update(parts.data);
  data["array"] = animation_json(report, parts, notes);
  data["notes"] = std::move(notes);
  return data;
}

}  // namespace weft::report
