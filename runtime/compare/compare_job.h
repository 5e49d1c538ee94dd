// Runs a comparison: all devices on one product, on a series of products, or on one network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/analysis/sweep.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/device_request.h"
#include "runtime/workload/network_source.h"

namespace weft::runtime {

struct CompareJob {
  std::vector<DeviceRequest> devices = {};
  std::optional<std::uint64_t> seed = {};
  devices::GemmShape shape = {};               // for a product
  std::optional<devices::Tile> tile = {};      // the only tile that modelled GPUs may use
  std::optional<SweepRequest> sweep = {};      // for products
  std::optional<NetworkRequest> network = {};  // instead of a product
  std::vector<std::string> measured = {};      // files of measurements made elsewhere
  bool in_order = false;                       // their kernels are the products, in order
  std::optional<double> price_of_all = {};     // one price for all devices, imported ones too
  bool energy = false;                         // then each machine has its energies
  bool price = false;                          // then each device has a price
};

/// Calls `progress` with the finished share. Throws InputError, ConfigError, SimulationError.
CompareReport compare_products(const CompareJob& job, const std::function<void(double)>& progress);
CompareReport compare_network(const CompareJob& job, const std::function<void(double)>& progress);

}  // namespace weft::runtime
