// The critical path of whole networks: its parts and its layers sum to the total, and a machine
// with one rate or latency far better wins at most what the path spends on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "models/networks/networks.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

class NetworkPathTest : public ::testing::Test {
 protected:
  void check(const std::string& name, const MachineConfig& machine, std::int64_t batch) {
    SCOPED_TRACE(::testing::Message()
                 << name << " on " << machine.name << ", memory kind "
                 << static_cast<int>(machine.memory_kind) << ", batch " << batch);
    network_ = schedule(networks::build_network(name, {.batch = batch}), machine).network;
    const NetworkRun run = time_network(network_, machine);
    EXPECT_EQ(run.path.sum(), run.total);
    CriticalPath layers;
    for (const LayerRun& layer : run.layers) layers += layer.path;
    EXPECT_EQ(layers.cycles, run.path.cycles);

    const auto wins = [&](PathPart part, const std::function<void(MachineConfig&)>& improve) {
      MachineConfig better = machine;
      improve(better);
      const Cycle won = run.total - time_network_on(network_, machine, better).total;
      EXPECT_LE(won, run.path[part]) << kPathPartNames[static_cast<std::size_t>(part)].name;
      most_won_ = std::max(most_won_, won);
    };
    wins(PathPart::kMemory, [](MachineConfig& better) { better.memory_bytes_per_s *= 8; });
    wins(PathPart::kMemoryLatency, [](MachineConfig& better) { better.memory_latency_cycles = 0; });
    wins(PathPart::kHost, [](MachineConfig& better) { better.host_bytes_per_s *= 8; });
    wins(PathPart::kHostLatency, [](MachineConfig& better) { better.host_latency_cycles = 0; });
    wins(PathPart::kVectorLatency, [](MachineConfig& better) { better.vector_latency_cycles = 1; });
  }

  compiler::ScheduledNetwork network_;
  Cycle most_won_ = 0;
};

TEST_F(NetworkPathTest, NetworksOnEveryPresetAndMemory) {
  for (const std::string& preset : preset_names()) {
    for (const MemoryKind kind : {MemoryKind::kIdeal, MemoryKind::kSplit}) {
      MachineConfig machine = load_preset(preset);
      machine.memory_kind = kind;
      check("lenet5", machine, 1);
      check("lenet5", machine, 7);
      if (preset != "tiny") check("resnet18", machine, 1);
    }
  }
  EXPECT_GT(most_won_, 10'000);
}

}  // namespace
}  // namespace weft::runtime
