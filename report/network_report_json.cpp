#include "report/json.h"
#include "report/network_report.h"
#include "report/report.h"

namespace weft::report {
namespace {

Json cycles_json(Cycle total, const CycleLedger& ledger) {
  Json cycles = {{"total", total}};
  cycles.update(ledger_json(ledger));
  return cycles;
}

Json layer_plan_json(const network::LayerInfo& info) {
  if (info.issued_macs == 0) return nullptr;
  return {{"k_tiles", info.k_tiles},
          {"n_tiles", info.n_tiles},
          {"chunks", info.chunks},
          {"fetches", info.fetches}};
}

std::optional<double> layer_utilization(const runtime::LayerRun& layer,
                                        const MachineConfig& config) {
  if (layer.info.issued_macs == 0) return std::nullopt;
  return utilization(config, layer.info.macs, layer.cycles);
}

Json spills_json(const network::LayerInfo& info) {
  Json spills = Json::array();
  for (const network::Spill& spill : info.spilled) spills.push_back(spill_text(spill));
  return spills;
}

Json layer_json(const runtime::LayerRun& layer, const MachineConfig& config) {
  const network::LayerInfo& info = layer.info;
  return {{"name", info.name},
          {"op", info.op},
          {"type", to_string(info.result.type)},
          {"shape", info.result.shape},
          {"where", place_of(layer)},
          {"note", info.note},
          {"plan", layer_plan_json(info)},
          {"cycles", layer.on_host ? Json(nullptr) : cycles_json(layer.cycles, layer.ledger)},
          {"macs", {{"useful", info.macs}, {"issued", info.issued_macs}}},
          {"utilization", or_null(layer_utilization(layer, config))},
          {"traffic", traffic_json({info.weight_bytes, info.input_bytes, info.output_bytes})},
          {"spilled", spills_json(info)}};
}

Json network_check_json(const std::optional<runtime::NetworkCheck>& check) {
  if (!check) {
    return {{"reference", "none"},      {"agrees", nullptr},         {"bit_exact", nullptr},
            {"max_abs_error", nullptr}, {"share_of_bound", nullptr}, {"layers", nullptr}};
  }
  return {{"reference", "cpu"},
          {"agrees", !check->mismatch.has_value()},
          {"bit_exact", check->bit_exact},
          {"max_abs_error", check->max_abs_error},
          {"share_of_bound", worst_share(*check)},
          {"layers", check->layers.size()}};
}

std::optional<double> tops(const NetworkReport& report) {
  if (report.run.total == 0) return std::nullopt;
  return 2 * static_cast<double>(report.run.useful_macs) / simulated_seconds(report) / 1e12;
}

/// The host layers, whose time `seconds` and the cycles leave out.
Json host_json(const NetworkReport& report) {
  const bool counted = report.host_time && host_layers(report) > 0;
  return {{"layers", host_layers(report)},
          {"seconds", counted ? or_null(host_seconds(report)) : Json(nullptr)},
          {"source", !counted                    ? Json(nullptr)
                     : report.host_time->seconds ? Json("given")
                                                 : Json("measured")}};
}

Json layers_json(const NetworkReport& report) {
  Json layers = Json::array();
  for (const runtime::LayerRun& layer : report.run.layers) {
    layers.push_back(layer_json(layer, report.machine));
  }
  return layers;
}

}  // namespace

Json conv_json(const runtime::ConvSpec& spec) {
  const auto pads = [&]() -> Json {
    if (spec.pads) return *spec.pads;
    return "same";
  };
  return {{"input", spec.input},
          {"filters", spec.filters},
          {"kernel", spec.kernel},
          {"strides", spec.strides},
          {"pads", pads()},
          {"dilations", spec.dilations},
          {"groups", spec.groups},
          {"bias", spec.bias},
          {"activation", to_string(spec.activation)}};
}

Json workload_json(const NetworkReport& report) {
  Json inputs = Json::array();
  for (const graph::Value& input : report.inputs) {
    inputs.push_back(
        {{"name", input.name}, {"type", to_string(input.type.type)}, {"shape", input.type.shape}});
  }
  Json workload = {{"network", report.network},
                   {"batch", report.batch},
                   {"parameters", report.parameters},
                   {"macs", report.macs},
                   {"inputs", std::move(inputs)}};
  if (report.sequence) workload["sequence"] = *report.sequence;
  if (report.conv) workload["conv"] = conv_json(*report.conv);
  return workload;
}

Json network_report_json(const NetworkReport& report) {
  const runtime::NetworkRun& run = report.run;
  return {{"schema", 1},
          {"command", report.command},
          {"backend", "machine"},
          {"engine", to_string(report.engine)},
          {"machine", described_machine_json(report.machine)},
          {"workload", workload_json(report)},
          {"cycles", cycles_json(run.total, run.ledger)},
          {"macs", {{"useful", run.useful_macs}, {"issued", run.issued_macs}}},
          {"utilization", or_null(utilization(report.machine, run.useful_macs, run.total))},
          {"seconds", simulated_seconds(report)},
          {"host", host_json(report)},
          {"tops", or_null(tops(report))},
          {"traffic", traffic_json(run.traffic)},
          {"programs", run.programs},
          {"instructions", run.instructions},
          {"check", network_check_json(report.check)},
          {"simulator", simulator_json(report.wall_seconds, run.total, run.compared_cycles)},
          {"notes", report.notes},
          {"layers", layers_json(report)},
          {"outputs", report.with_values ? outputs_json(report.outputs) : Json(nullptr)}};
}

Json reference_report_json(const NetworkReport& report) {
  return {{"schema", 1},
          {"command", report.command},
          {"backend", "cpu"},
          {"workload", workload_json(report)},
          {"notes", report.notes},
          {"outputs", outputs_json(report.outputs)},
          {"reference", {{"wall_seconds", report.wall_seconds}}}};
}

}  // namespace weft::report
