// The energy of a network's run, of all its layers together and of each.
#pragma once

#include <optional>
#include <vector>

#include "runtime/network_run.h"
#include "sim/analysis/energy.h"
#include "sim/config/energy_table.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct NetworkEnergy {
  EnergyAccount account;              // of the whole run; host layers take no energy here
  std::vector<EnergyAccount> layers;  // one for each layer of the run
  double seconds = 0;                 // of the run
  double useful_macs = 0;             // on array and vector unit; 0 if the program does not say
  std::optional<double> area_mm2;     // of the array's cells (see weft::area_mm2)

  double joules() const { return account.joules(); }
  /// 0 for a run without cycles.
  double watts() const;
  /// Of the chip alone: without the memory outside and the host link.
  double chip_watts() const;
  /// All energy divided by the useful MACs; nullopt if there are none.
  std::optional<double> pj_per_mac() const;
  /// 10^12 useful operations a joule, two for a MAC; nullopt in the same cases.
  std::optional<double> tops_per_watt() const;
};

/// The account of `run` on `config` with the energies of `table`. It takes a few operations per
/// layer: the run has counted its events already. Throws SimulationError for more than 2^64 events
/// of one kind.
NetworkEnergy network_energy(const NetworkRun& run, const MachineConfig& config,
                             const EnergyTable& table);

/// Dollars (or any currency) for 10^6 inferences on a machine that costs `price_per_hour`.
double price_of_million(double price_per_hour, double seconds_per_inference);

}  // namespace weft::runtime
