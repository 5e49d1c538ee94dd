#include "runtime/analysis/sensitivity.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

class SensitivitySearch {
 public:
  SensitivitySearch(const graph::Graph& graph, const MachineConfig& machine,
                    const compiler::MappingOptions& mapping)
      : graph_(graph),
        machine_(machine),
        mapping_(mapping),
        scheduled_(schedule(graph, machine, nullptr, mapping)),
        cycles_(time_network(scheduled_.network, machine).total) {}

  Cycle cycles() const { return cycles_; }

  /// Nullopt if the key has no better value.
  std::optional<BetterKey> better(const ConfigKey& key) const {
    MachineConfig machine = machine_;
    if (!key.improve(machine)) return std::nullopt;
    BetterKey better;
    better.key = key.name;
    better.from = key.print(machine_);
    better.to = key.print(machine);
    better.is_assumed = is_assumed(machine_, key);
    better.recompiled = key.improvement == Improvement::kLarger;
    try {
      better.cycles = better.recompiled ? compiled_cycles(machine) : same_program_cycles(machine);
    } catch (const ConfigError&) {
      return std::nullopt;
    } catch (const InputError&) {
      return std::nullopt;
    }
    better.time_change =
        cycles_ == 0 ? 0 : seconds(better.cycles, machine) / seconds(cycles_, machine_) - 1;
    return better;
  }

 private:
  static double seconds(Cycle cycles, const MachineConfig& machine) {
    return static_cast<double>(cycles) / static_cast<double>(machine.clock_hz);
  }
  Cycle same_program_cycles(const MachineConfig& machine) const {
    return time_network_on(scheduled_.network, machine_, machine).total;
  }
  Cycle compiled_cycles(const MachineConfig& machine) const {
    validate(machine);
    const NetworkSchedule scheduled = schedule(graph_, machine, nullptr, mapping_);
    return time_network(scheduled.network, machine).total;
  }

  const graph::Graph& graph_;
  const MachineConfig& machine_;
  const compiler::MappingOptions& mapping_;
  const NetworkSchedule scheduled_;
  const Cycle cycles_;
};

}  // namespace

Sensitivity find_sensitivity(const graph::Graph& graph, const MachineConfig& machine,
                             const compiler::MappingOptions& mapping,
                             const std::function<void(double)>& progress) {
  const SensitivitySearch search(graph, machine, mapping);
  Sensitivity found;
  found.cycles = search.cycles();
  found.shares_memory = machine.memory_kind == MemoryKind::kShared;
  std::size_t done = 0;
  for (const ConfigKey& key : config_keys()) {
    progress(static_cast<double>(++done) / static_cast<double>(config_keys().size() + 1));
    if (!key.improvement) continue;
    if (auto better = search.better(key)) {
      found.keys.push_back(std::move(*better));
    } else {
      found.left_out.push_back(key.name);
    }
  }
  std::ranges::stable_sort(found.keys, {}, &BetterKey::time_change);
  return found;
}

}  // namespace weft::runtime
