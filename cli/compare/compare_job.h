// Runs a comparison: every device on the same product, product after product, or network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/compare/compare_report.h"
#include "cli/compare/device_request.h"
#include "cli/explain/sweep.h"
#include "cli/network_source.h"

namespace weft::cli {

struct CompareJob {
  std::vector<DeviceRequest> devices = {};
  std::optional<std::uint64_t> seed = {};
  devices::GemmShape shape = {};               // of a product
  std::optional<devices::Tile> tile = {};      // the only one of the modelled GPUs
  std::optional<SweepRequest> sweep = {};      // of a product
  std::optional<NetworkRequest> network = {};  // instead of a product
};

/// `progress` is called with the share done. Throws InputError, ConfigError, SimulationError.
CompareReport compare_products(const CompareJob& job, const std::function<void(double)>& progress);
CompareReport compare_network(const CompareJob& job, const std::function<void(double)>& progress);

}  // namespace weft::cli
