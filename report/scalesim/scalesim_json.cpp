#include "report/machine_json.h"
#include "report/scalesim/scalesim_report.h"

namespace weft::report {
namespace {

Json words_json(const runtime::OperandWords& words) {
  return {{"ifmap", words.ifmap}, {"filter", words.filter}, {"ofmap", words.ofmap}};
}

/// better_cycles is older than the whole runs that are compared.
void add_better(Json& json, const std::optional<runtime::BetterRun>& better) {
  if (!better) return;
  json["serial_run_cycles"] = or_null(better->serial);
  json["better_run_cycles"] = better->cycles;
  json["better_cycles"] = better->span;
}

/// What has no effect, the text report's lines about the header among it.
Json ignored_json(const imports::ScaleSimTopology& topology) {
  Json ignored = topology.ignored;
  if (topology.header_is_layer) {
    ignored.insert(ignored.begin(),
                   "line 1, which looks like a layer but stands where the header is");
  }
  if (topology.header_is_conv) {
    ignored.insert(ignored.begin(), "the header, which is that of convolutions");
  }
  return ignored;
}

Json layer_json(const runtime::ScaleSimLayerRun& layer, const ScaleSimReport& report) {
  const ScaleSimFigures figures = scalesim_figures(layer, report.run.config, report.as_printed);
  Json json = {{"name", layer.name},
               {"copies", layer.copies},
               {"m", layer.product.m},
               {"k", layer.product.k},
               {"n", layer.product.n},
               {"folds", layer.law.folds},
               {"fold_cycles", layer.law.fold_cycles},
               {"cycles", figures.cycles},
               {"cycles_with_transfers", figures.with_transfers},
               {"stall_cycles", figures.stalls},
               {"by_law", layer.by_law.empty() ? Json(nullptr) : Json(layer.by_law)},
               {"overall_util", figures.overall_util / 100},
               {"mapping_efficiency", figures.mapping_efficiency / 100},
               {"compute_util", figures.compute_util / 100},
               {"sram_words", words_json(figures.sram)},
               {"dram_words", words_json(layer.dram)}};
  add_better(json, layer.better);
  return json;
}

Json total_json(const ScaleSimReport& report) {
  const ScaleSimTotals totals = scalesim_totals(report);
  Json json = {{"layers", totals.layers},
               {"layers_by_law", totals.layers_by_law},
               {"macs", totals.macs},
               {"cycles", totals.cycles},
               {"stall_cycles", totals.stalls}};
  add_better(json, totals.better);
  return json;
}

}  // namespace

Json scalesim_json(const ScaleSimReport& report) {
  const imports::ScaleSimConfig& config = report.run.config;
  Json layers = Json::array();
  for (const auto& layer : report.run.layers) layers.push_back(layer_json(layer, report));
  return {{"schema", 1},
          {"command", "scalesim"},
          {"machine", described_machine_json(report.run.machine)},
          {"scalesim",
           {{"run_name", config.run_name},
            {"dataflow", imports::to_string(config.dataflow)},
            {"bandwidth", or_null(config.bandwidth)},
            {"as_printed", report.as_printed},
            {"ifmap_sram_kib", config.ifmap_kib},
            {"filter_sram_kib", config.filter_kib},
            {"ofmap_sram_kib", config.ofmap_kib},
            {"ignored",
             {{"config", config.ignored}, {"topology", ignored_json(report.run.topology)}}}}},
          {"topology", report.run.topology.file},
          {"layers", std::move(layers)},
          {"total", total_json(report)},
          {"simulator", {{"wall_seconds", report.run.wall_seconds}}}};
}

}  // namespace weft::report
