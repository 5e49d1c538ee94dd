#include "runtime/analysis/doubled_sizes.h"

#include <algorithm>
#include <array>
#include <future>
#include <mutex>
#include <numeric>
#include <optional>
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
  std::mutex reporting;
  std::array<double, kBuffers.size() + 1> shares{};  // done of each run
  std::vector<std::future<std::optional<DoubledSize>>> runs;
  // A search takes most of the time of a run, and the searches know nothing of each other.
  const auto add = [&](auto run) {
    const auto report = [&, each = runs.size()](double share) {
      const std::scoped_lock lock(reporting);
      shares[each] = share;
      progress(std::accumulate(shares.begin(), shares.end(), 0.0) / shares.size());
    };
    runs.push_back(std::async(std::launch::async, [=]() -> std::optional<DoubledSize> {
      try {
        return run(report);
      } catch (const ConfigError&) {  // out of range: nothing to simulate
      } catch (const InputError&) {   // a batch that the network does not take
      }
      return std::nullopt;
    }));
  };
  for (const ConfigKey& key : config_keys()) {
    if (std::ranges::find(kBuffers, key.name) == kBuffers.end()) continue;
    add([&](const auto& report) { return with_buffer(chosen, key, report); });
  }
  add([&](const auto& report) { return with_batch(chosen, batch, report); });
  std::vector<DoubledSize> all;
  for (auto& run : runs) {
    if (auto size = run.get()) all.push_back(std::move(*size));
  }
  progress(1);
  return all;
}

}  // namespace weft::runtime
