// What a comparison of devices found: one row per device, and per size of a sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/devices/gemm_model.h"
#include "runtime/compare/compare_row.h"

namespace weft::runtime {

/// The compared network.
struct ComparedNetwork {
  std::string name = {};
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence = {};
};

/// A sweep over one size. The report has one row per device and size, with sizes in the outer loop.
struct ComparedSweep {
  char dimension = 'n';
  std::uint64_t step = 1;
  std::vector<std::uint64_t> sizes = {};
};

struct CompareReport {
  devices::GemmShape shape = {};  // of a product; a sweep replaces one of its sizes
  std::optional<ComparedNetwork> network = {};
  std::optional<ComparedSweep> sweep = {};
  double flop = 0;      // not used for a sweep
  bool energy = false;  // the rows have energy and area, if these are known
  bool price = false;   // and the price of a million results
  std::vector<CompareRow> rows = {};
};

}  // namespace weft::runtime
