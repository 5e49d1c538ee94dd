// Two results of one kind side by side: each quantity of A and of B with the difference, the keys
// of the machine that differ, and the layers, matched by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "report/results/run_result.h"
#include "report/text.h"

namespace weft::report {

enum class Quantity : std::uint8_t {
  kCycles,
  kSeconds,
  kBytes,
  kMacs,
  kOpsPerSecond,
  kShare,
  kJoules,
  kWatts,
  kPicojoules,
  kSquareMillimeters,
  kPrice,
};

/// A quantity of both runs; nullopt where a run does not have it.
struct ResultRow {
  std::string key;   // as in docs/json.md: "total", "weight_stall", "weight_bytes"
  std::string name;  // for people
  Quantity quantity = Quantity::kCycles;
  std::optional<double> a = {};
  std::optional<double> b = {};

  /// B minus A.
  std::optional<double> difference() const;
  /// The difference as a share of A; nullopt if A is 0 and B is not.
  std::optional<double> change() const;
};

struct LayerPair {
  const ResultLayer* a = nullptr;  // null: only B has the layer
  const ResultLayer* b = nullptr;
};

struct KeyDifference {
  std::string key;  // as in an INI file
  std::string a;
  std::string b;
};

struct ResultPair {
  RunResult a;
  RunResult b;

  ResultKind kind() const { return a.kind; }
};

/// Throws InputError if the results are of different kinds.
ResultPair pair_results(RunResult a, RunResult b);

/// Cycles, time, speed and utilization; then `ledger_rows` and `traffic_rows` in detail.
std::vector<ResultRow> main_rows(const ResultPair& pair);
std::vector<ResultRow> ledger_rows(const ResultPair& pair);
std::vector<ResultRow> traffic_rows(const ResultPair& pair);
/// Energy, area and price: a row for each that a run has.
std::vector<ResultRow> cost_rows(const ResultPair& pair);
/// Sentences: why a run has no value in a row of these, and which tables of energies differ.
std::vector<std::string> cost_notes(const ResultPair& pair);
/// All keys in which the machines differ.
std::vector<KeyDifference> machine_differences(const ResultPair& pair);
/// Layers in A's order. A layer of B alone follows the layer that precedes it in B. Of several
/// layers with one name, the first belongs to the first, and so on.
std::vector<LayerPair> layer_pairs(const ResultPair& pair);

/// "product 64 x 64 x 64: B takes 12 cycles more than A".
std::string pair_title(const ResultPair& pair);
/// "A: a.json: tpu-v2: 128 x 128 bf16, 700 MHz, engine fast".
std::string run_line(const char* name, const RunResult& run);
/// Says if the workloads differ; else nullopt.
std::optional<std::string> workload_note(const ResultPair& pair);

std::string pair_text(const ResultPair& pair, const Style& style);
/// Schema 1; docs/json.md explains each key.
Json pair_json(const ResultPair& pair);

}  // namespace weft::report
