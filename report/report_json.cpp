#include "report/report_json.h"

#include <utility>

#include "compiler/mapping/tile_walk.h"
#include "report/energy_report.h"
#include "report/machine_json.h"

namespace weft::report {
namespace {

// --- Products ------------------------------------------------------------------------------------

Json product_json(const std::optional<MatmulSpec>& spec) {
  if (!spec) return nullptr;
  return {{"m", spec->m},
          {"k", spec->k},
          {"n", spec->n},
          {"bias", spec->bias},
          {"activation", to_string(spec->activation)}};
}

Json plan_json(const TilingPlan& plan) {
  Json json = {{"k_tiles", plan.k_tiles},
               {"n_tiles", plan.n_tiles},
               {"m_chunks", plan.m_chunks},
               {"folds", plan.folds},
               {"padded_m", plan.padded_m},
               {"padded_k", plan.padded_k},
               {"padded_n", plan.padded_n},
               {"padding_waste", plan.padding_waste()},
               {"formula_cycles", plan.formula_cycles()}};
  const std::uint64_t buffered = TileWalk(plan).tiles();
  if (buffered > 0) json["buffered_tiles"] = buffered;
  if (plan.stores_by_row) json["stores_by_row"] = true;
  return json;
}

Json product_check_json(const runtime::CheckReport& check) {
  Json json = {{"reference", check.reference},
               {"agrees", nullptr},
               {"bit_exact", nullptr},
               {"max_abs_error", nullptr},
               {"nan_elements", nullptr}};
  if (check.ran()) {
    json["nan_elements"] = check.nans;
    json["agrees"] = !check.mismatch.has_value();
    json["bit_exact"] = check.bit_exact;
    json["max_abs_error"] = check.max_abs_error;
  }
  return json;
}

// --- Networks ------------------------------------------------------------------------------------

Json layer_plan_json(const compiler::LayerInfo& info) {
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

Json spills_json(const compiler::LayerInfo& info) {
  Json spills = Json::array();
  for (const compiler::Spill& spill : info.spilled) spills.push_back(spill_text(spill));
  return spills;
}

Json layers_json(const RunReport& report) {
  Json layers = Json::array();
  for (const runtime::LayerRun& layer : report.run.layers) {
    layers.push_back(layer_json(layer, report.machine));
  }
  return layers;
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
          {"activation", to_string(spec.activation)},
          {"taps", to_string(spec.taps)}};
}

Json network_json(const NetworkPart& part) {
  Json inputs = Json::array();
  for (const graph::Value& input : part.inputs) {
    inputs.push_back(
        {{"name", input.name}, {"type", to_string(input.type.type)}, {"shape", input.type.shape}});
  }
  Json workload = {{"network", part.name},
                   {"batch", part.batch},
                   {"parameters", part.parameters},
                   {"macs", part.macs},
                   {"inputs", std::move(inputs)}};
  if (part.sequence) workload["sequence"] = *part.sequence;
  if (part.kv_cache) workload["kv_cache"] = *part.kv_cache;
  if (part.conv) workload["conv"] = conv_json(*part.conv);
  return workload;
}

/// Null if the network does not generate text.
Json tokens_json(const RunReport& report) {
  const auto& work = report.network().tokens;
  if (!work) return nullptr;
  const double seconds = simulated_seconds(report);
  const auto bound = work->memory_seconds(report.machine);
  const double tokens = as_real(work->tokens);
  return {{"per_run", work->tokens},
          {"per_second", seconds > 0 ? Json(tokens / seconds) : Json(nullptr)},
          {"weight_bytes", work->weight_bytes(report.machine)},
          {"cache_bytes", work->cache_bytes(report.machine)},
          {"memory_seconds", or_null(bound)},
          {"memory_per_second", bound ? Json(tokens / *bound) : Json(nullptr)}};
}

/// The host layers, whose time `seconds` and the cycles leave out.
Json host_json(const RunReport& report) {
  const auto& time = report.network().host_time;
  const bool counted = time && host_layers(report) > 0;
  return {{"layers", host_layers(report)},
          {"seconds", counted ? or_null(host_seconds(report)) : Json(nullptr)},
          {"source", !counted        ? Json(nullptr)
                     : time->seconds ? Json("given")
                                     : Json("measured")}};
}

// --- Both ----------------------------------------------------------------------------------------

/// How a product is cut, or which plan a network followed.
Json plan_json(const RunReport& report) {
  if (!report.is_product()) {
    const std::string& hash = report.network().plan_hash;
    if (hash.empty()) return nullptr;
    const auto& effort = report.network().effort;
    return {{"hash", hash}, {"optimize", effort ? Json(static_cast<int>(*effort)) : Json(nullptr)}};
  }
  const auto& plan = report.product().plan;
  return plan ? plan_json(*plan) : Json(nullptr);
}

Json total_cycles_json(const RunReport& report) {
  Json cycles = {{"total", report.run.total}};
  if (report.is_product()) cycles["array_span"] = report.product().array_span;
  cycles.update(ledger_json(report.run.ledger));
  return cycles;
}

Json work_json(const compiler::WorkBound& bound) {
  if (bound.cycles == 0) return nullptr;
  return {{"cycles", bound.cycles},
          {"by", to_string(bound.by)},
          {"array", bound.array},
          {"vector", bound.vector}};
}

Json macs_json(const RunReport& report) {
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  const bool known = product == nullptr || product->spec;
  Json macs = {{"useful", known ? Json(report.run.useful_macs) : Json(nullptr)},
               {"issued", report.run.issued_macs}};
  if (product == nullptr) return macs;
  macs["padded_k"] = product->plan ? Json(product->plan->macs.padded_k) : Json(nullptr);
  macs["padded_n"] = product->plan ? Json(product->plan->macs.padded_n) : Json(nullptr);
  return macs;
}

Json sensitivity_json(const runtime::Sensitivity& sensitivity) {
  Json keys = Json::array();
  for (const runtime::BetterKey& better : sensitivity.keys) {
    keys.push_back({{"key", better.key},
                    {"from", better.from},
                    {"to", better.to},
                    {"assumed", better.is_assumed},
                    {"recompiled", better.recompiled},
                    {"cycles", better.cycles},
                    {"won", sensitivity.cycles - better.cycles},
                    {"time_change", better.time_change}});
  }
  return {{"cycles", sensitivity.cycles},
          {"keys", std::move(keys)},
          {"left_out", sensitivity.left_out}};
}

/// Wall time, simulated cycles per second, and the number of cycles that lock-step checking
/// compared.
Json simulator_json(const RunReport& report) {
  const double wall_seconds = report.wall_seconds;
  const Cycle cycles = report.run.total;
  const std::uint64_t compared_cycles = report.run.compared_cycles;
  Json simulator = {
      {"wall_seconds", wall_seconds}, {"cycles_per_second", nullptr}, {"lockstep_cycles", nullptr}};
  if (wall_seconds > 0 && cycles > 0) {
    simulator["cycles_per_second"] = static_cast<double>(cycles) / wall_seconds;
  }
  if (compared_cycles > 0) simulator["lockstep_cycles"] = compared_cycles;
  return simulator;
}

}  // namespace

Json bound_json(const std::optional<compiler::Bound>& bound, Cycle cycles) {
  if (!bound || bound->cycles == 0) return nullptr;
  return {{"cycles", bound->cycles}, {"by", to_string(bound->by)}, {"ratio", bound->ratio(cycles)},
          {"array", bound->array},   {"vector", bound->vector},    {"memory", bound->memory},
          {"host", bound->host}};
}

Json layer_json(const runtime::LayerRun& layer, const MachineConfig& config) {
  const compiler::LayerInfo& info = layer.info;
  return {{"name", info.name},
          {"op", info.op},
          {"type", to_string(info.result.type)},
          {"shape", info.result.shape},
          {"where", place_of(layer)},
          {"note", info.note},
          {"plan", layer_plan_json(info)},
          {"cycles", layer.on_host ? Json(nullptr) : cycles_json(layer.cycles, layer.ledger)},
          {"critical_path", layer.on_host ? Json(nullptr) : critical_path_json(layer.path)},
          {"bound", work_json(layer.bound)},
          {"macs", {{"useful", info.macs}, {"issued", info.issued_macs}}},
          {"utilization", or_null(layer_utilization(layer, config))},
          {"traffic", traffic_json({info.weight_bytes, info.input_bytes, info.output_bytes})},
          {"schedule", info.scheduled},
          {"spilled", spills_json(info)}};
}

Json workload_json(const RunReport& report) {
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  return product != nullptr ? product_json(product->spec) : network_json(report.network());
}

Json report_json(const RunReport& report) {
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  const runtime::NetworkRun& run = report.run;
  Json json = {{"schema", 1}, {"command", report.command}};
  if (product == nullptr) json["backend"] = "machine";
  json["engine"] = to_string(report.engine);
  json["machine"] = described_machine_json(report.machine, report.machine_file);
  json["workload"] = workload_json(report);
  json["plan"] = plan_json(report);
  json["cycles"] = total_cycles_json(report);
  json["critical_path"] = run.programs > 0 ? critical_path_json(run.path) : Json(nullptr);
  json["bound"] = bound_json(run.bound, run.total);
  if (report.sensitivity) json["sensitivity"] = sensitivity_json(*report.sensitivity);
  json["macs"] = macs_json(report);
  json["utilization"] = or_null(utilization(report));
  json["seconds"] = simulated_seconds(report);
  if (product == nullptr) json["host"] = host_json(report);
  json["tops"] = or_null(tops(report));
  if (Json tokens = product == nullptr ? tokens_json(report) : Json(nullptr); !tokens.is_null()) {
    json["tokens"] = std::move(tokens);
  }
  json["traffic"] = traffic_json(run.traffic);
  if (product == nullptr) {
    json["programs"] = run.programs;
    json["instructions"] = run.instructions;
  }
  json["check"] = product != nullptr ? product_check_json(product->check)
                                     : network_check_json(report.network().check);
  if (Json energy = energy_json(report); !energy.is_null()) json["energy"] = std::move(energy);
  if (Json price = price_json(report); !price.is_null()) json["price"] = std::move(price);
  json["simulator"] = simulator_json(report);
  json["notes"] = report.notes;
  if (product != nullptr) return json;
  json["layers"] = layers_json(report);
  const NetworkPart& network = report.network();
  json["outputs"] = network.with_values ? outputs_json(network.outputs) : Json(nullptr);
  return json;
}

Json reference_report_json(const RunReport& report) {
  return {{"schema", 1},
          {"command", report.command},
          {"backend", "cpu"},
          {"workload", workload_json(report)},
          {"notes", report.notes},
          {"outputs", outputs_json(report.network().outputs)},
          {"reference", {{"wall_seconds", report.wall_seconds}}}};
}

}  // namespace weft::report
