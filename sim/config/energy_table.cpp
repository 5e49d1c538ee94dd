#include "sim/config/energy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "base/decimal.h"
#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "base/similar.h"
#include "sim/config/config_keys.h"
#include "sim/config/ini_file.h"
#include "sim/config/text_hash.h"

namespace weft {
namespace {

// Values have at most this many decimals, as exact as rates in a machine file.
constexpr unsigned kDecimals = 9;
constexpr double kScale = 1e9;

// The ranges are a hundred times wider than the tables of any process so far, so that a wrong unit
// is found: arithmetic of 45 nm in femtojoules, or a memory access in nanojoules.
constexpr double kMostArithmetic = 100;
constexpr double kMostSram = 10'000;
constexpr double kMostTransfer = 100'000;
constexpr double kLeast = 1e-6;  // for values that are divided or logarithms

using Table = EnergyTable;
constexpr std::array<EnergyKey, 17> kKeys = {{
    {"multiply.int8", "pJ of a product", kLeast, kMostArithmetic, &Table::multiply_int8},
    {"multiply.bf16", "pJ of a product", kLeast, kMostArithmetic, &Table::multiply_bf16},
    {"multiply.fp16", "pJ of a product", kLeast, kMostArithmetic, &Table::multiply_fp16},
    {"add.int32", "pJ of a sum", kLeast, kMostArithmetic, &Table::add_int32},
    {"add.fp32", "pJ of a sum", kLeast, kMostArithmetic, &Table::add_fp32},
    {"mac.padding", "a MAC with padding, as a share of a useful one", 0, 1, &Table::padding},
    {"register.bit", "pJ of a bit that a register takes", kLeast, 1, &Table::register_bit},
    {"sram.kib_8", "pJ of 64 bits of an 8 KiB memory", kLeast, kMostSram, &Table::sram_8_kib},
    {"sram.kib_32", "pJ of 64 bits of a 32 KiB memory", kLeast, kMostSram, &Table::sram_32_kib},
    {"sram.kib_1024", "pJ of 64 bits of a 1 MiB memory", kLeast, kMostSram, &Table::sram_1024_kib},
    {"vector.lane", "pJ of a lane of the vector unit", kLeast, kMostArithmetic,
     &Table::vector_lane},
    {"memory.ddr", "pJ of 64 bits of DDR DRAM", kLeast, kMostTransfer, &Table::memory_ddr},
    {"memory.hbm", "pJ of 64 bits of HBM", kLeast, kMostTransfer, &Table::memory_hbm},
    {"memory.gddr", "pJ of 64 bits of GDDR DRAM", kLeast, kMostTransfer, &Table::memory_gddr},
    {"host.link", "pJ of 64 bits across the host link", kLeast, kMostTransfer, &Table::host_link},
    {"area.gate_um2", "square micrometers of a two-input gate", kLeast, 100, nullptr,
     &Table::gate_um2},
    {"area.flip_flop_um2", "square micrometers of a flip-flop", kLeast, 100, nullptr,
     &Table::flip_flop_um2},
}};

std::string range_of(const EnergyKey& key) {
  return fmt::format("{} to {} with at most {} decimals", key.low, key.high, kDecimals);
}

void set(EnergyTable& table, const EnergyKey& key, std::string_view text) {
  const auto scaled = parse_decimal(text, kDecimals);
  const double value = scaled ? static_cast<double>(*scaled) / kScale : -1;
  if (value < key.low || value > key.high) {
    throw ConfigError(fmt::format("{} = {}: must be a number, {}, {}", key.name, printable(text),
                                  key.help, range_of(key)));
  }
  if (key.value != nullptr) {
    table.*key.value = value;
  } else {
    table.*key.area = value;
  }
}

void check_unit(std::string_view text) {
  if (text == "pJ") return;
  throw ConfigError(fmt::format("table.unit = {}: must be pJ; convert the energies to picojoules",
                                printable(text)));
}

void check_name(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (fits) return;
  throw ConfigError(fmt::format("table.name = {}: must be 1..64 letters, digits, '.', '_' or '-'",
                                printable(text)));
}

[[noreturn]] void unknown_key(std::string_view key) {
  std::vector<std::string> names = {"table.name", "table.unit"};
  for (const EnergyKey& known : kKeys) names.emplace_back(known.name);
  const std::string meant = most_similar(key, names);
  const std::string advice = meant.empty()
                                 ? "weft machines --energy 45nm prints a table with all of them"
                                 : fmt::format("did you mean {}?", meant);
  throw ConfigError(fmt::format("unknown event {}; {}", printable(key), advice));
}

void set(EnergyTable& table, const IniEntry& entry) {
  if (entry.key == "table.unit") return check_unit(entry.value);
  if (entry.key == "table.name") {
    check_name(entry.value);
    table.name = entry.value;
    return;
  }
  const auto key = std::ranges::find(kKeys, entry.key, &EnergyKey::name);
  if (key == kKeys.end()) unknown_key(entry.key);
  set(table, *key, entry.value);
}

void check_complete(const std::set<std::string, std::less<>>& seen) {
  // A table may have no area, but not half of one.
  const bool has_area = std::ranges::any_of(
      kKeys, [&](const EnergyKey& key) { return key.area != nullptr && seen.contains(key.name); });
  std::vector<std::string_view> missing;
  for (const std::string_view name : {"table.name", "table.unit"}) {
    if (!seen.contains(name)) missing.push_back(name);
  }
  for (const EnergyKey& key : kKeys) {
    const bool is_due = key.value != nullptr || has_area;
    if (is_due && !seen.contains(key.name)) missing.push_back(key.name);
  }
  if (missing.empty()) return;
  throw ConfigError(
      fmt::format("{} {} missing; a table has a name, a unit and every event (weft machines "
                  "--energy 45nm prints one)",
                  fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are"));
}

void check_order(const EnergyTable& table) {
  if (table.sram_8_kib <= table.sram_32_kib && table.sram_32_kib <= table.sram_1024_kib) return;
  throw ConfigError(
      fmt::format("sram.kib_8, kib_32, kib_1024 = {}, {}, {}: a larger memory must not cost less",
                  table.sram_8_kib, table.sram_32_kib, table.sram_1024_kib));
}

std::string_view node_name(ProcessNode node) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "45nm", "28nm", "16nm", "7nm"};
  return kNames[static_cast<std::size_t>(node)];
}

/// Eight hexadecimal digits, which differ for tables that differ.
std::string digits_of(const EnergyTable& table) {
  TextHash hash;
  hash.add(values_text(table));
  return fmt::format("{:08x}", hash.value() >> 32U);
}

EnergyTable built_in(std::string_view name) {
  std::istringstream text{std::string(energy_table_text(name))};
  return parse_energy_table(text, fmt::format("energy table {}", name));
}

}  // namespace

std::string values_text(const EnergyTable& table) {
  std::string text;
  for (const EnergyKey& key : kKeys) {
    const std::optional<double> value = key.area != nullptr ? table.*key.area : table.*key.value;
    if (value) text += fmt::format(" {}={}", key.name, *value);
  }
  return text;
}

double EnergyTable::mac(ElementType type) const {
  if (type == ElementType::kBf16) return multiply_bf16 + add_fp32;
  if (type == ElementType::kFp16) return multiply_fp16 + add_fp32;
  return multiply_int8 + add_int32;
}

double EnergyTable::add(ElementType type) const {
  return type == ElementType::kInt8 ? add_int32 : add_fp32;
}

double EnergyTable::sram(double bytes) const {
  constexpr double kSmall = 8.0 * 1024;
  constexpr double kMiddle = 32.0 * 1024;
  constexpr double kLarge = 1024.0 * 1024;
  bytes = std::min(bytes, kLarge);
  const bool below = bytes < kMiddle;
  const double from = below ? kSmall : kMiddle;
  const double to = below ? kMiddle : kLarge;
  const double at_from = below ? sram_8_kib : sram_32_kib;
  const double at_to = below ? sram_32_kib : sram_1024_kib;
  return at_from * std::pow(at_to / at_from, std::log(bytes / from) / std::log(to / from));
}

double EnergyTable::memory(MemoryTechnology technology) const {
  switch (technology) {
    case MemoryTechnology::kDdr:
      return memory_ddr;
    case MemoryTechnology::kHbm:
      return memory_hbm;
    case MemoryTechnology::kGddr:
      return memory_gddr;
    case MemoryTechnology::kLink:
      break;
  }
  return host_link;
}

std::span<const EnergyKey> energy_keys() {
  return kKeys;
}

EnergyTable parse_energy_table(std::istream& in, std::string_view origin) {
  const std::vector<IniEntry> entries = read_ini(in, origin, "an energy table");
  EnergyTable table;
  std::set<std::string, std::less<>> seen;
  try {
    for (const IniEntry& entry : entries) {
      if (!seen.insert(entry.key).second) {
        throw ConfigError(fmt::format("{}: given twice", printable(entry.key)));
      }
      set(table, entry);
    }
    check_complete(seen);
    check_order(table);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", origin, error.what()));
  }
  return table;
}

EnergyTable load_energy_table(const std::string& name_or_file) {
  for (const std::string& name : energy_table_names()) {
    if (name == name_or_file) return built_in(name);
  }
  const char* problem = input_path_problem(name_or_file);
  std::ifstream file;
  if (problem == nullptr) file.open(name_or_file);
  if (problem == nullptr && !file) problem = "cannot be read";
  if (problem != nullptr) {
    throw ConfigError(fmt::format("energy table {}: {}, and the built-in tables are {}",
                                  printable(name_or_file), problem,
                                  fmt::join(energy_table_names(), ", ")));
  }
  EnergyTable table = parse_energy_table(file, name_or_file);
  table.name += ' ' + digits_of(table);
  return table;
}

std::optional<EnergyTable> energy_table_of(const MachineConfig& config) {
  if (config.node == ProcessNode::kNone) return std::nullopt;
  return built_in(node_name(config.node));
}

EnergyTable load_energy_table(const std::string& name_or_file, const MachineConfig& config) {
  if (name_or_file != "own") return load_energy_table(name_or_file);
  if (const auto table = energy_table_of(config)) return *table;
  throw ConfigError(fmt::format(
      "energy table own: machine {} has no power.node; set it, or name a table such as 28nm",
      config.name));
}

}  // namespace weft
