#include "runtime/analysis/doubled_sizes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

constexpr std::array<std::string_view, 3> kBuffers = {"unified_buffer.kib", "accumulators.rows",
                                                      "weight_fifo.tiles"};

/// Compiles and times the network with one size changed.
DoubledSize timed(DoubledSize size, const ChosenLayer& chosen, const graph::Graph& graph,
                  const MachineConfig& machine, const std::function<void(double)>& progress) {
  compiler::MappingOptions mapping = *chosen.mapping;
  mapping.progress = progress;
  const NetworkSchedule scheduled = schedule(graph, machine, nullptr, mapping);
  const NetworkRun run = time_network_on(scheduled.network, machine, machine);
  size.total = run.total;
  const std::string& name = chosen.run.layers[chosen.layer].info.name;
  const auto same_layer =
      std::ranges::find(run.layers, name, [](const LayerRun& layer) { return layer.info.name; });
  if (same_layer != run.layers.end() && !same_layer->on_host) size.layer = same_layer->cycles;
  return size;
}

DoubledSize with_buffer(const ChosenLayer& chosen, const ConfigKey& key,
                        const std::function<void(double)>& progress) {
  MachineConfig machine = chosen.machine;
  DoubledSize size;
  size.name = key.name;
  size.from = key.print(machine);
  size.to = std::to_string(2 * std::stoull(size.from));
  set_key(machine, key.name, size.to);
  validate(machine);
  return timed(std::move(size), chosen, chosen.graph, machine, progress);
}

DoubledSize with_batch(const ChosenLayer& chosen, const LargerBatch& batch,
                       const std::function<void(double)>& progress) {
  DoubledSize size;
  size.name = "batch";
  size.from = std::to_string(batch.batch);
  size.to = std::to_string(2 * batch.batch);
  size.twice_the_work = true;
  return timed(std::move(size), chosen, batch.twice(), chosen.machine, progress);
}

}  // namespace

std::vector<DoubledSize> doubled_sizes(const ChosenLayer& chosen, const LargerBatch& batch,
                                       const std::function<void(double)>& progress) {
  std::vector<DoubledSize> all;
  constexpr double kCount = kBuffers.size() + 1.0;
  double done = 0;
  const auto within = [&](double share) { progress((done + share) / kCount); };
  const auto add = [&](const auto& run) {
    try {
      all.push_back(run());
    } catch (const ConfigError&) {  // out of range: nothing to simulate
    } catch (const InputError&) {   // a batch that the network does not take
    }
    progress(++done / kCount);
  };
  for (const ConfigKey& key : config_keys()) {
    if (std::ranges::find(kBuffers, key.name) == kBuffers.end()) continue;
    add([&] { return with_buffer(chosen, key, within); });
  }
  add([&] { return with_batch(chosen, batch, within); });
  return all;
}

}  // namespace weft::runtime
