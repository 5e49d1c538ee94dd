#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "report/json.h"
#include "report/report.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

Json workload_json(const std::optional<MatmulSpec>& spec) {
  if (!spec) return nullptr;
  return {{"m", spec->m},
          {"k", spec->k},
          {"n", spec->n},
          {"bias", spec->bias},
          {"activation", to_string(spec->activation)}};
}

Json cycles_json(const Result& result) {
  Json cycles = {{"total", result.total}, {"array_span", result.array_span}};
  cycles.update(ledger_json(result.ledger));
  return cycles;
}

Json macs_json(const RunReport& report) {
  Json macs = {{"useful", nullptr},
               {"issued", report.result.issued_macs},
               {"padded_k", nullptr},
               {"padded_n", nullptr}};
  if (report.workload) {
    macs["useful"] = report.workload->m * report.workload->k * report.workload->n;
  }
  if (report.plan) {
    macs["padded_k"] = report.plan->macs.padded_k;
    macs["padded_n"] = report.plan->macs.padded_n;
  }
  return macs;
}

Json check_json(const runtime::CheckReport& check) {
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

/// array.rows becomes "rows", memory.kind "memory_kind": the sections array and machine are left
/// out.
std::string json_name(std::string name) {
  for (const std::string_view section : {"machine.", "array."}) {
    if (name.starts_with(section)) return name.substr(section.size());
  }
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

/// A key's value as text becomes a switch, a number or a string.
Json key_value(const std::string& text) {
  if (text == "on" || text == "off") return text == "on";
  return is_number(text) ? Json::parse(text) : Json(text);
}

/// Turns a value of machine_json() into text for set_key().
std::string key_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Json machine_json(const MachineConfig& config) {
  Json machine;
  for (const ConfigKey& key : config_keys()) {
    const std::string name = json_name(key.name);
    machine[name] = name == "name" ? Json(key.print(config)) : key_value(key.print(config));
  }
  return machine;
}

Json described_machine_json(const MachineConfig& config) {
  Json machine = machine_json(config);
  machine["title"] = machine_title(config);
  machine["modified"] = Json::object();
  for (const ConfigChange& change : changes_from_preset(config)) {
    machine["modified"][json_name(change.key)] = key_value(change.preset);
  }
  return machine;
}

MachineConfig machine_of(const Json& json) {
  MachineConfig config;
  for (const ConfigKey& key : config_keys()) {
    const std::string name = json_name(key.name);
    if (!json.is_object() || !json.contains(name)) {
      throw InputError(fmt::format("machine.{} is missing", name));
    }
    set_key(config, key.name, key_text(json.at(name)));
  }
  validate(config);
  return config;
}

Json ledger_json(const CycleLedger& ledger) {
  Json json;
  for (const LedgerClass& entry : kLedgerClasses) {
    json[std::string(entry.name)] = ledger.*entry.cycles;
  }
  return json;
}

Json simulator_json(double wall_seconds, Cycle cycles, std::uint64_t compared_cycles) {
  Json simulator = {
      {"wall_seconds", wall_seconds}, {"cycles_per_second", nullptr}, {"lockstep_cycles", nullptr}};
  if (wall_seconds > 0 && cycles > 0) {
    simulator["cycles_per_second"] = static_cast<double>(cycles) / wall_seconds;
  }
  if (compared_cycles > 0) simulator["lockstep_cycles"] = compared_cycles;
  return simulator;
}

Json traffic_json(const Traffic& traffic) {
  return {{"weight_bytes", traffic.weight_bytes},
          {"input_bytes", traffic.input_bytes},
          {"output_bytes", traffic.output_bytes}};
}

Json plan_json(const TilingPlan& plan) {
  return {{"k_tiles", plan.k_tiles},
          {"n_tiles", plan.n_tiles},
          {"m_chunks", plan.m_chunks},
          {"folds", plan.folds},
          {"padded_m", plan.padded_m},
          {"padded_k", plan.padded_k},
          {"padded_n", plan.padded_n},
          {"padding_waste", plan.padding_waste()},
          {"formula_cycles", plan.formula_cycles()}};
}

Json report_json(const RunReport& report) {
  Json json;
  json["schema"] = 1;
  json["command"] = report.command;
  json["engine"] = to_string(report.engine);
  json["machine"] = described_machine_json(report.machine);
  json["workload"] = workload_json(report.workload);
  json["plan"] = report.plan ? plan_json(*report.plan) : Json(nullptr);
  json["cycles"] = cycles_json(report.result);
  json["macs"] = macs_json(report);
  json["utilization"] = or_null(utilization(report));
  json["seconds"] = simulated_seconds(report);
  json["tops"] = or_null(tops(report));
  json["traffic"] = traffic_json(report.result.traffic);
  json["check"] = check_json(report.check);
  json["simulator"] =
      simulator_json(report.wall_seconds, report.result.total, report.result.compared_cycles);
  json["notes"] = report.notes;
  return json;
}

}  // namespace weft::report
