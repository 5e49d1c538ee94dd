// Machines from INI files and command-line options. set_key() applies both, so that a key means the
// same in either place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "sim/config/config_keys.h"
#include "sim/config/ini_file.h"

namespace weft {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kMachineSection = "machine.";

/// Removes the prefix `machine.` from keys that have no section, because [machine] may hold them.
std::string_view without_machine_section(std::string_view key) {
  const std::string_view bare =
      key.starts_with(kMachineSection) ? key.substr(kMachineSection.size()) : key;
  for (const ConfigKey& known : config_keys()) {
    if (known.name == bare) return bare;
  }
  return key;
}

/// The placeholder of the value in --help: ROWS for array.rows, on|off for a choice.
std::string value_name(const ConfigKey& key) {
  if (key.range.find('|') != std::string::npos) return key.range;
  std::string name = key.name.substr(key.name.find('.') + 1);
  if (name.find("_per_") == std::string::npos) name.erase(0, name.rfind('_') + 1);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

}  // namespace

MachineConfig parse_ini(std::istream& in, std::string_view origin) {
  const std::vector<IniEntry> entries = read_ini(in, origin, "a machine file");
  MachineConfig config;
  std::set<std::string, std::less<>> seen;
  try {
    if (describes_device(entries)) {
      throw ConfigError("describes a device for weft compare --with, not a machine");
    }
    for (const IniEntry& entry : entries) {
      const std::string_view key = without_machine_section(entry.key);
      if (!seen.emplace(key).second) throw ConfigError(fmt::format("{}: given twice", key));
      set_key(config, key, entry.value);
    }
    validate(config);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", origin, error.what()));
  }
  return config;
}

std::string to_ini(const MachineConfig& config) {
  std::string text;
  std::string section;
  for (const ConfigKey& key : config_keys()) {
    const std::size_t dot = key.name.find('.');
    const bool has_section = dot != std::string::npos;
    const std::string own = has_section ? key.name.substr(0, dot) : "machine";
    if (own != section) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", own);
    section = own;
    text += fmt::format("{} = {}\n", has_section ? key.name.substr(dot + 1) : key.name,
                        key.print(config));
  }
  return text;
}

po::options_description machine_options() {
  po::options_description options("Machine");
  for (const ConfigKey& key : config_keys()) {
    const std::string help = key.help + " (" + key.range + ")";
    options.add_options()(key.name.c_str(), po::value<std::string>()->value_name(value_name(key)),
                          help.c_str());
  }
  return options;
}

void apply_options(MachineConfig& config, const po::variables_map& values) {
  for (const ConfigKey& key : config_keys()) {
    if (values.count(key.name) == 0) continue;
    set_key(config, key.name, values[key.name].as<std::string>());
  }
  validate(config);
}

std::optional<ValueMark> value_mark(std::string_view ini_text, std::string_view key) {
  constexpr std::array<std::pair<std::string_view, ValueMark>, 3> kMarks = {
      {{"# published", ValueMark::kPublished},
       {"# derived", ValueMark::kDerived},
       {"# assumed", ValueMark::kAssumed}}};
  std::istringstream text{std::string(ini_text)};
  std::string section;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1) + '.';
    const std::string own = line.substr(0, line.find(' '));
    if (key != own && key != section + own) continue;
    for (const auto& [comment, mark] : kMarks) {
      if (line.ends_with(comment)) return mark;
    }
  }
  return std::nullopt;
}

bool is_assumed(const MachineConfig& config, const ConfigKey& key) {
  const std::vector<std::string> presets = preset_names();
  if (std::ranges::find(presets, config.name) == presets.end()) return false;
  return key.print(config) == key.print(load_preset(config.name)) &&
         value_mark(preset_text(config.name), key.name) == ValueMark::kAssumed;
}

MachineConfig load_preset(std::string_view name) {
  std::istringstream text{std::string(preset_text(name))};
  return parse_ini(text, fmt::format("preset {}", name));
}

std::vector<ConfigChange> changes_from_preset(const MachineConfig& config) {
  std::vector<ConfigChange> changes;
  const std::vector<std::string> presets = preset_names();
  if (std::ranges::find(presets, config.name) == presets.end()) return changes;
  const MachineConfig preset = load_preset(config.name);
  for (const ConfigKey& key : config_keys()) {
    std::string before = key.print(preset);
    std::string now = key.print(config);
    if (before != now) changes.push_back({key.name, std::move(before), std::move(now)});
  }
  return changes;
}

std::string machine_title(const MachineConfig& config) {
  return changes_from_preset(config).empty() ? config.name : config.name + ", modified";
}

MachineConfig load_machine(const std::string& preset_or_file) {
  for (const std::string& name : preset_names()) {
    if (name == preset_or_file) return load_preset(name);
  }
  const char* problem = input_path_problem(preset_or_file);
  std::ifstream file;
  if (problem == nullptr) file.open(preset_or_file);
  if (problem == nullptr && !file) problem = "cannot be read";
  if (problem != nullptr) {
    throw ConfigError(fmt::format("machine {}: {}, and the presets are {}",
                                  printable(preset_or_file), problem,
                                  fmt::join(preset_names(), ", ")));
  }
  return parse_ini(file, preset_or_file);
}

}  // namespace weft
