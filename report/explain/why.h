// Explains why two runs take different numbers of cycles, also of different batches or sizes. A's
// settings are switched to B's one at a time. Each step is simulated, and its change is the cost of
// the switch.
//
//   A ──> A with B's first ──> A with B's first two ──> ... ──> B
//      +18                  -4                          ...
//
// In any order the changes add up to the difference, but another order can divide it otherwise. The
// order here is the machine's keys, then bias and activation, then sizes. If a switch alone would
// give an impossible machine or plan, it is made together with the next ones.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/explain/recorded_run.h"
#include "report/explain/setup.h"
#include "report/streams.h"

namespace weft::report {

struct WhyStep {
  std::vector<Switch> switches;             // one, or several that are only possible together
  SetupOutcome outcome;                     // after these and all earlier switches
  std::optional<std::int64_t> images = {};  // likewise
  Cycle change = 0;                         // from the previous step
  CycleLedger ledger_change = {};
};

struct WhyRun {
  std::string file;
  std::string workload;
  std::optional<std::int64_t> images;  // of a convolution or a network
  MachineConfig machine;
  SetupOutcome outcome;

  /// nullopt for a product.
  std::optional<double> cycles_per_image() const;
};

struct Why {
  std::string workload;  // of both, or "A: ...; B: ..."
  WhyRun a;
  WhyRun b;
  std::vector<WhyStep> steps;

  Cycle difference() const { return b.outcome.cycles - a.outcome.cycles; }
  /// True if both have images, but not as many.
  bool per_image() const { return a.images && b.images && a.images != b.images; }
};

/// Calls `progress` with the finished share. Throws InputError if a report's cycles differ from the
/// cycles of its run here.
Why explain_why(const RecordedRun& a, const RecordedRun& b,
                const std::function<void(double)>& progress);

/// Schema 1; docs/json.md explains each key.
nlohmann::ordered_json why_json(const Why& why);

/// The page's data (docs/page.md).
nlohmann::ordered_json why_page_data(const Why& why, const std::string& command_line);

/// A header, then a line for A, for each step, and so the last for B.
std::string why_csv(const Why& why);

void print_why(const Why& why, const Streams& streams);

}  // namespace weft::report
