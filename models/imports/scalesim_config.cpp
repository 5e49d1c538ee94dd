#include "models/imports/scalesim_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "models/imports/text_file.h"

namespace weft::imports {
namespace {

constexpr std::string_view kConfigFile = "a SCALE-Sim configuration";
constexpr std::string_view kArchitecture = "architecture_presets";
constexpr std::uint64_t kMostRows = 4096;  // of the machine's array
constexpr std::uint64_t kMostKib = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostWords = 100'000;  // a cycle: what the machine's channel can be

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

struct Value {
  std::string key;  // as written
  std::string text;
  std::size_t line = 0;
  bool used = false;
};

/// Keys by section and name; names in lower case, because SCALE-Sim does not tell cases apart.
class Ini {
 public:
  explicit Ini(const std::string& file) : file_(file) {
    const std::string text = read_text_file(file, kConfigFile);
    const std::vector<std::string_view> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) add(trimmed(lines[i]), i);
  }

  bool has_section(std::string_view name) const {
    return std::ranges::any_of(sections_, [&](const Section& each) { return each.name == name; });
  }

  Value* find(std::string_view section, std::string_view key) {
    for (Section& each : sections_) {
      if (each.name != section) continue;
      const auto found = each.values.find(lower(key));
      if (found == each.values.end()) continue;
      found->second.used = true;
      return &found->second;
    }
    return nullptr;
  }

  Value& require(std::string_view section, std::string_view key) {
    if (Value* value = find(section, key)) return *value;
    throw InputError(fmt::format("{}: {} is missing in [{}]; add it", file_, key, section));
  }

  /// "FILE:12: Key".
  std::string place(const Value& value) const {
    return fmt::format("{}: {}", place_of(file_, value.line), value.key);
  }

  /// "FILE:12: Key in [section]" for the key in a section other than `section`.
  std::optional<std::string> stray(std::string_view section, std::string_view key) const {
    for (const Section& each : sections_) {
      const auto found = each.values.find(lower(key));
      if (each.name == section || found == each.values.end()) continue;
      return fmt::format("{} in [{}]", place(found->second), each.name);
    }
    return std::nullopt;
  }

  /// Sections without any used key, and unused keys of the others.
  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const Section& each : sections_) {
      const auto used = [](const auto& entry) { return entry.second.used; };
      if (std::ranges::none_of(each.values, used)) {
        names.push_back(fmt::format("[{}]", each.name));
        continue;
      }
      std::vector<const Value*> left;
      for (const auto& [name, value] : each.values) {
        if (!value.used) left.push_back(&value);
      }
      std::ranges::sort(left, {}, &Value::line);
      for (const Value* value : left) names.push_back(value->key);
    }
    return names;
  }

 private:
  struct Section {
    std::string name;
    std::map<std::string, Value> values;
  };

  void add(std::string_view line, std::size_t number) {
    if (line.empty() || line.front() == '#' || line.front() == ';') return;
    if (line.front() == '[' && line.back() == ']') {
      begin(std::string(line.substr(1, line.size() - 2)), number);
      return;
    }
    const std::size_t split = line.find_first_of("=:");
    const std::string_view key = trimmed(line.substr(0, std::min(split, line.size())));
    if (split == std::string_view::npos || key.empty() || sections_.empty()) {
      throw InputError(fmt::format("{}: {} is neither [section] nor key = value in a section",
                                   place_of(file_, number), printable(line)));
    }
    Value value{std::string(key), std::string(unquoted(trimmed(line.substr(split + 1)))), number};
    if (!sections_.back().values.emplace(lower(key), std::move(value)).second) {
      throw InputError(fmt::format("{}: {} is given twice in [{}]; keep one",
                                   place_of(file_, number), printable(key), sections_.back().name));
    }
  }

  void begin(std::string name, std::size_t number) {
    if (has_section(name)) {
      throw InputError(fmt::format("{}: section {} is given twice; keep one",
                                   place_of(file_, number), printable(name)));
    }
    sections_.push_back({std::move(name), {}});
  }

  const std::string& file_;
  std::vector<Section> sections_;
};

std::uint64_t number(const Ini& ini, const Value& value, std::uint64_t low, std::uint64_t high) {
  return parse_number(value.text, ini.place(value), low, high);
}

/// The size of an SRAM; version 1 leaves out the unit, kB, in the key.
std::uint64_t sram(Ini& ini, const std::string& key) {
  const Value* value = ini.find(kArchitecture, key);
  if (value == nullptr) value = &ini.require(kArchitecture, key + "kB");
  return number(ini, *value, 1, kMostKib);
}

Dataflow read_dataflow(Ini& ini) {
  const Value& value = ini.require(kArchitecture, "Dataflow");
  for (const Dataflow dataflow :
       {Dataflow::kWeightStationary, Dataflow::kInputStationary, Dataflow::kOutputStationary}) {
    if (lower(value.text) == to_string(dataflow)) return dataflow;
  }
  throw InputError(fmt::format("{} = {}: unknown dataflow; must be ws, is or os", ini.place(value),
                               printable(value.text)));
}

struct Bandwidth {
  std::optional<std::uint64_t> words;  // a cycle; nullopt if memory is ideal
  std::string ignored;                 // of the key, in words; empty if all of it counts
};

/// The first number of Bandwidth, as in SCALE-Sim, where further ones have no effect.
Bandwidth read_bandwidth(Ini& ini) {
  const Value* mode = ini.find("run_presets", "InterfaceBandwidth");
  if (mode == nullptr || mode->text == "CALC") return {};
  if (mode->text != "USER") {
    throw InputError(
        fmt::format("{} = {}: must be CALC or USER", ini.place(*mode), printable(mode->text)));
  }
  Value first = ini.require(kArchitecture, "Bandwidth");
  const std::string all = first.text;
  const std::size_t comma = std::min(all.find(','), all.size());
  first.text = trimmed(std::string_view(all).substr(0, comma));
  Bandwidth bandwidth{number(ini, first, 1, kMostWords), {}};
  // A lone comma at the end of a line leaves nothing out.
  if (all.find_first_not_of(", \t", comma) != std::string::npos) {
    bandwidth.ignored = fmt::format("{} after its first number", first.key);
  }
  return bandwidth;
}

void refuse_sparsity(Ini& ini) {
  const Value* value = ini.find("sparsity", "SparsitySupport");
  if (value == nullptr || lower(value->text) != "true") return;
  throw InputError(fmt::format(
      "{} = {}: sparse layers are not modelled; set SparsitySupport = false for dense ones",
      ini.place(*value), value->text));
}

void refuse_ramulator(Ini& ini) {
  Value* value = ini.find("run_presets", "UseRamulatorTrace");
  if (value == nullptr) return;
  value->used = false;
  if (lower(value->text) != "true") return;
  throw InputError(fmt::format(
      "{} = {}: Ramulator's latencies are not modelled; set UseRamulatorTrace = false for fixed "
      "ones",
      ini.place(*value), value->text));
}

}  // namespace

std::string_view to_string(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kWeightStationary:
      return "ws";
    case Dataflow::kInputStationary:
      return "is";
    case Dataflow::kOutputStationary:
      return "os";
  }
  return "";
}

ScaleSimConfig read_scalesim_config(const std::string& file) {
  Ini ini(file);
  if (!ini.has_section(kArchitecture)) {
    throw InputError(
        fmt::format("{}: has no section [{}], so it is not {}", file, kArchitecture, kConfigFile));
  }
  ScaleSimConfig config;
  if (const Value* name = ini.find("general", "run_name")) config.run_name = name->text;
  const auto side = [&](std::string_view key) {
    return static_cast<std::uint32_t>(number(ini, ini.require(kArchitecture, key), 1, kMostRows));
  };
  config.rows = side("ArrayHeight");
  config.cols = side("ArrayWidth");
  config.ifmap_kib = sram(ini, "IfmapSramSz");
  config.filter_kib = sram(ini, "FilterSramSz");
  config.ofmap_kib = sram(ini, "OfmapSramSz");
  config.dataflow = read_dataflow(ini);
  const Bandwidth bandwidth = read_bandwidth(ini);
  config.bandwidth = bandwidth.words;
  const Value* topology = ini.find("network_presets", "TopologyCsvLoc");
  if (topology != nullptr && !topology->text.empty()) config.topology = topology->text;
  config.stray_topology = ini.stray("network_presets", "TopologyCsvLoc");
  refuse_sparsity(ini);
  refuse_ramulator(ini);
  config.ignored = ini.unused();
  if (!bandwidth.ignored.empty()) config.ignored.push_back(bandwidth.ignored);
  return config;
}

}  // namespace weft::imports
