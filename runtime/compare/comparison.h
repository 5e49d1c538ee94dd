// What a comparison of devices found: one row per device, and per size of a sweep.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
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
  std::optional<std::int64_t> kv_cache = {};
  nlohmann::ordered_json products = nlohmann::ordered_json::array();  // network_products()
};

/// A sweep over one size. The report has one row per device and size, with sizes in the outer loop.
struct ComparedSweep {
  char dimension = 'n';
  std::uint64_t step = 1;
  std::vector<std::uint64_t> sizes = {};
};

/// Time in a file of measurements on one device, and how much of it the rows show.
struct ImportedDevice {
  std::string name = {};
  double seconds = 0;
  double matched_seconds = 0;
};

/// What no row shows: all runs of one operator, kernel, product or layer.
struct UnmatchedTime {
  std::string device = {};
  std::string name = {};
  std::string operands = {};  // its shape, or what the file says about it
  std::uint64_t count = 0;
  double seconds = 0;
};

/// A file of --measured, or one that another comparison imported and recorded in its JSON.
struct ImportedFile {
  std::string file = {};
  std::string format = {};   // "a trace of PyTorch's profiler"
  std::string time_of = {};  // what its times are
  std::vector<ImportedDevice> devices = {};
  std::vector<UnmatchedTime> unmatched = {};  // longest first
  std::vector<std::string> notes = {};        // what the file lacks
  bool of_rows = false;                       // the times are those of a comparison's imported rows
  std::string recorded_in = {};  // the report that says so; empty if the file itself was read

  double seconds() const;
  double matched_seconds() const;
};

struct CompareReport {
  devices::GemmShape shape = {};  // of a product; a sweep replaces one of its sizes
  std::optional<ComparedNetwork> network = {};
  std::optional<ComparedSweep> sweep = {};
  double flop = 0;      // not used for a sweep
  bool energy = false;  // the rows have energy and area, if these are known
  bool price = false;   // and the price of a million results
  std::vector<CompareRow> rows = {};
  std::vector<ImportedFile> imports = {};
};

}  // namespace weft::runtime
