// What the --json report of a run says about its cost, read back without simulating anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// What a run computed. Only results of one kind are shown side by side.
enum class ResultKind : std::uint8_t { kProduct, kConvolution, kNetwork, kProgram };

/// "product", "convolution", "network", "program".
std::string_view to_string(ResultKind kind);

struct ResultLayer {
  std::string name;
  std::string op;
  std::string where;                 // array, vector or host
  std::optional<Cycle> cycles = {};  // nullopt on the host
  CycleLedger ledger = {};           // sums to the cycles
  std::uint64_t useful_macs = 0;
};

/// What the run cost besides cycles; nullopt where the report does not say.
struct RunCost {
  std::optional<std::string> table = {};  // of the energies
  std::optional<double> joules = {};
  std::optional<double> watts = {};
  std::optional<double> pj_per_mac = {};   // useful ones
  std::optional<double> array_mm2 = {};    // cells of the array
  std::optional<double> per_hour = {};     // price
  std::optional<double> per_million = {};  // results
};

struct RunResult {
  std::string file;
  ResultKind kind = ResultKind::kProduct;
  std::string workload;  // "1,000 x 1,000 x 1,000", "resnet18, batch 1"
  std::string engine;
  MachineConfig machine;
  std::string machine_title;  // as the report has it: "tpu-v2, modified"
  Cycle cycles = 0;
  CycleLedger ledger;                             // sums to the cycles
  std::optional<std::uint64_t> useful_macs = {};  // nullopt: the program does not say
  std::uint64_t issued_macs = 0;
  std::optional<Cycle> bound = {};  // the fewest cycles of any schedule; nullopt: not known
  Traffic traffic;
  RunCost cost = {};
  std::vector<ResultLayer> layers = {};  // of a network or convolution

  /// On the machine's clock; host layers take none.
  double seconds() const;
};

/// Reads a report of `weft matmul`, `conv`, `run`, `exec` or `explain`. Throws InputError that
/// names the file if it is anything else, has another schema, is cut off, or contradicts itself.
RunResult read_run_result(const std::string& file);

}  // namespace weft::report
