#include "report/machine_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

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

Json described_machine_json(const MachineConfig& config, const MachineFile& file) {
  Json machine = machine_json(config);
  machine["title"] = machine_title(config, file);
  machine["modified"] = Json::object();
  for (const ConfigChange& change : machine_changes(config, file)) {
    machine["modified"][json_name(change.key)] = key_value(change.preset);
  }
  return machine;
}

MachineConfig machine_of(const Json& json) {
  MachineConfig config;
  for (const ConfigKey& key : config_keys()) {
    const std::string name = json_name(key.name);
    // Reports from before Weft counted energy lack these keys, which change no cycle.
    const bool may_miss = json.is_object() && key.name.starts_with("power.");
    if (may_miss && !json.contains(name)) continue;
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

Json cycles_json(Cycle total, const CycleLedger& ledger) {
  Json cycles = {{"total", total}};
  cycles.update(ledger_json(ledger));
  return cycles;
}

Json critical_path_json(const CriticalPath& path) {
  Json json = {{"total", path.sum()}};
  for (std::size_t part = 0; part < kPathParts; ++part) {
    json[std::string(kPathPartNames[part].key)] = path.cycles[part];
  }
  return json;
}

Json traffic_json(const Traffic& traffic) {
  return {{"weight_bytes", traffic.weight_bytes},
          {"input_bytes", traffic.input_bytes},
          {"output_bytes", traffic.output_bytes}};
}

}  // namespace weft::report
