#include "report/machine_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/decimal.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

std::string clock(const MachineConfig& config) {
  return print_decimal(config.clock_hz, 6) + " MHz";
}

bool has_preset_name(const MachineConfig& config) {
  const std::vector<std::string> presets = preset_names();
  return std::ranges::find(presets, config.name) != presets.end();
}

}  // namespace

std::vector<ConfigChange> machine_changes(const MachineConfig& config, const MachineFile& file) {
  if (has_preset_name(config)) return changes_from_preset(config);
  std::vector<ConfigChange> changes;
  if (!file || file->name != config.name) return changes;
  for (const ConfigKey& key : config_keys()) {
    std::string before = key.print(*file);
    std::string now = key.print(config);
    if (before != now) changes.push_back({key.name, std::move(before), std::move(now)});
  }
  return changes;
}

std::string machine_title(const MachineConfig& config, const MachineFile& file) {
  return machine_changes(config, file).empty() ? config.name : config.name + ", modified";
}

std::string labeled_line(std::string_view label, const std::string& value, const Style& style) {
  return style.bold(fmt::format("{:<11}", label)) + value + '\n';
}

std::string machine_line(const MachineConfig& config, const MachineFile& file) {
  return fmt::format("{}: {} x {} {}, {}", machine_title(config, file), config.array_rows,
                     config.array_cols, to_string(config.dtype), clock(config));
}

std::vector<std::string> modified_lines(const MachineConfig& config, const MachineFile& file) {
  constexpr std::size_t kColumns = 100;
  std::vector<std::string> lines;
  for (const ConfigChange& change : machine_changes(config, file)) {
    const std::string text =
        fmt::format("{} {} ({}: {})", change.key, change.value, config.name, change.preset);
    if (lines.empty() || lines.back().size() + text.size() > kColumns) {
      if (!lines.empty()) lines.back() += ',';
      lines.push_back(text);
    } else {
      lines.back() += ", " + text;
    }
  }
  return lines;
}

std::string machine_text(const MachineConfig& config, const MachineFile& file, const Style& style) {
  std::string text = labeled_line("machine", machine_line(config, file), style);
  std::string_view label = "modified";
  for (const std::string& line : modified_lines(config, file)) {
    text += labeled_line(label, line, style);
    label = "";
  }
  return text;
}

std::string machine_heading(const MachineConfig& config, const MachineFile& file,
                            const Style& style) {
  std::string text = style.bold(machine_line(config, file)) + '\n';
  std::string_view label = "modified: ";
  for (const std::string& line : modified_lines(config, file)) {
    text += fmt::format("{:10}{}\n", label, line);
    label = "";
  }
  return text;
}

std::string cycles_line(Cycle cycles, const MachineConfig& config) {
  const double seconds = static_cast<double>(cycles) / static_cast<double>(config.clock_hz);
  return fmt::format("{} = {} at {}", grouped(static_cast<std::uint64_t>(cycles)), si(seconds, "s"),
                     clock(config));
}

std::string ledger_text(const CycleLedger& ledger) {
  Table table("lrr");
  const auto total = static_cast<double>(ledger.sum());
  for (const LedgerClass& entry : kLedgerClasses) {
    const Cycle cycles = ledger.*entry.cycles;
    if (cycles == 0) continue;
    table.add({std::string(entry.name), grouped(static_cast<std::uint64_t>(cycles)),
               percent(static_cast<double>(cycles) / total)});
  }
  return table.text(11);
}

std::size_t largest_part(const CriticalPath& path) {
  return static_cast<std::size_t>(std::ranges::max_element(path.cycles) - path.cycles.begin());
}

std::string critical_path_text(const CriticalPath& path) {
  constexpr double kLeastShare = 0.0005;  // smaller ones would be printed as 0.0 %
  const auto total = static_cast<double>(path.sum());
  std::vector<std::size_t> order(kPathParts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t part) { return path.cycles[part]; });
  std::vector<std::string> parts;
  for (const std::size_t part : order) {
    const double share = static_cast<double>(path.cycles[part]) / total;
    if (share < kLeastShare) break;
    parts.push_back(fmt::format("{} {}", kPathPartNames[part].name, percent(share)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace weft::report
