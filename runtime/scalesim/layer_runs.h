// The layers of a SCALE-Sim topology on one configuration: cycles, stalls, words, utilization.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/imports/scalesim_config.h"
#include "models/imports/scalesim_topology.h"
#include "runtime/scalesim/serial_law.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct ScaleSimRunOptions {
  bool better = false;  // run each layer with Weft's mapper too
};

/// A product with Weft's mapper on a machine that keeps weights, whatever Dataflow says. It is the
/// machine of the serial folds, but its weights are double-buffered. Runs last from the first load
/// to the last store, which is what the mapper makes short.
struct BetterRun {
  std::uint64_t cycles = 0;  // never more than `serial`
  std::uint64_t span = 0;    // of them the array's, first push to last product
  /// The run of the serial folds; nullopt if the machine cannot run them.
  std::optional<std::uint64_t> serial = {};
};

/// What a layer takes. For a depthwise layer it is what one channel takes.
struct ScaleSimLayerRun {
  std::string name;
  std::uint64_t copies = 1;
  bool depthwise = false;
  MatmulSpec product;
  SerialLaw law;
  std::string by_law;                // why the machine did not run it; empty if it did
  std::uint64_t cycles = 0;          // the array's span, first push to last product, with stalls
  std::uint64_t stalls = 0;          // of them waiting for DRAM
  std::uint64_t with_transfers = 0;  // the whole run: first load to last store
  OperandWords sram;
  OperandWords dram;
  std::optional<BetterRun> better = {};
};

struct ScaleSimRun {
  imports::ScaleSimConfig config;
  imports::ScaleSimTopology topology;
  MachineConfig machine;  // of the serial folds
  std::vector<ScaleSimLayerRun> layers;
  double wall_seconds = 0;
};

/// Runs all layers; equal ones once. `progress` is called with the share done. Throws InputError
/// naming the layer's line if one of its counts exceeds 64 bits.
ScaleSimRun run_scalesim(imports::ScaleSimConfig config, imports::ScaleSimTopology topology,
                         const ScaleSimRunOptions& options,
                         const std::function<void(double)>& progress = {});

}  // namespace weft::runtime
