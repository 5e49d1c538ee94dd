#include "runtime/analysis/network_energy.h"

#include <algorithm>
#include <cstdint>

namespace weft::runtime {
namespace {

/// Those of the array; the vector unit's products are none. A program that does not say what it
/// computes has no operator. An operator's count may include products with a border of zeros that
/// the array never sees.
std::optional<std::uint64_t> useful_macs_of(const LayerRun& layer, const MachineConfig& config) {
  if (layer.events.streamed_rows == 0) return 0;
  if (layer.info.op.empty()) return std::nullopt;
  const std::uint64_t pes = std::uint64_t{config.array_rows} * config.array_cols;
  return std::min<std::uint64_t>(layer.info.macs, layer.events.streamed_rows * pes);
}

EnergyCounts counts_of(const LayerRun& layer, const MachineConfig& config) {
  return {layer.events, useful_macs_of(layer, config), layer.cycles, layer.ledger.array_active};
}

std::optional<std::uint64_t> useful_macs_of(const NetworkRun& run, const MachineConfig& config) {
  std::uint64_t sum = 0;
  for (const LayerRun& layer : run.layers) {
    const auto own = useful_macs_of(layer, config);
    if (!own) return std::nullopt;
    sum += *own;
  }
  return sum;
}

}  // namespace

double NetworkEnergy::watts() const {
  return seconds == 0 ? 0 : account.joules() / seconds;
}

double NetworkEnergy::chip_watts() const {
  return seconds == 0 ? 0 : account.chip_joules() / seconds;
}

std::optional<double> NetworkEnergy::pj_per_mac() const {
  if (useful_macs == 0) return std::nullopt;
  return account.joules() * 1e12 / useful_macs;
}

std::optional<double> NetworkEnergy::tops_per_watt() const {
  if (useful_macs == 0 || account.joules() == 0) return std::nullopt;
  return 2 * useful_macs / account.joules() / 1e12;
}

NetworkEnergy network_energy(const NetworkRun& run, const MachineConfig& config,
                             const EnergyTable& table) {
  NetworkEnergy energy;
  const EnergyCounts all = {run.events, useful_macs_of(run, config), run.total,
                            run.ledger.array_active};
  energy.account = energy_account(all, config, table);
  for (const LayerRun& layer : run.layers) {
    energy.layers.push_back(energy_account(counts_of(layer, config), config, table));
  }
  energy.seconds = static_cast<double>(run.total) / static_cast<double>(config.clock_hz);
  energy.useful_macs = static_cast<double>(run.useful_macs);
  energy.area_mm2 = area_mm2(config, table);
  return energy;
}

double price_of_million(double price_per_hour, double seconds_per_inference) {
  constexpr double kSecondsPerHour = 3600;
  return price_per_hour / kSecondsPerHour * seconds_per_inference * 1e6;
}

}  // namespace weft::runtime
