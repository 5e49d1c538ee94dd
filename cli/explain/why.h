// Why two runs of one workload take different numbers of cycles: A's assumptions are switched to
// B's one at a time, each step is simulated, and its change is what the switch costs.
//
//   A ──> A with B's first ──> A with B's first two ──> ... ──> B
//      +18                  -4                          ...
//
// The changes sum to the difference, whatever the order; another order can share it out otherwise.
// The order is that of the machine's keys, then bias and activation. Where a switch alone would
// make a machine or a plan that cannot be, it is made together with the next ones.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/explain/recorded_run.h"
#include "cli/explain/setup.h"
#include "cli/streams.h"

namespace weft::cli {

struct WhyStep {
  std::vector<Switch> switches;  // one, or several that only work together
  Outcome outcome;               // with these and all before
  Cycle change = 0;              // from the step before
  CycleLedger ledger_change = {};
};

struct WhyRun {
  std::string file;
  MachineConfig machine;
  Outcome outcome;
};

struct Why {
  std::string workload;
  WhyRun a;
  WhyRun b;
  std::vector<WhyStep> steps;

  Cycle difference() const { return b.outcome.cycles - a.outcome.cycles; }
};

/// `progress` is called with the share done. Throws InputError if the two ran different workloads,
/// or if a report has another number of cycles than its run takes here.
Why explain_why(const RecordedRun& a, const RecordedRun& b,
                const std::function<void(double)>& progress);

/// Schema 1; docs/json.md has the keys.
nlohmann::ordered_json why_json(const Why& why);

/// The page's data (docs/page.md).
nlohmann::ordered_json why_page_data(const Why& why, const std::string& command_line);

void print_why(const Why& why, const Streams& streams);

}  // namespace weft::cli
