// Explains why two runs of one workload take different numbers of cycles. A's settings are switched
// to B's one at a time. Each step is simulated, and its change is the cost of the switch.
//
//   A ──> A with B's first ──> A with B's first two ──> ... ──> B
//      +18                  -4                          ...
//
// In any order the changes add up to the difference, but another order can divide it otherwise. The
// order here is the machine's keys, then bias and activation. If a switch alone would give an
// impossible machine or plan, it is made together with the next ones.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/explain/recorded_run.h"
#include "report/explain/setup.h"
#include "report/streams.h"

namespace weft::report {

struct WhyStep {
  std::vector<Switch> switches;  // one, or several that are only possible together
  SetupOutcome outcome;          // after these and all earlier switches
  Cycle change = 0;              // from the previous step
  CycleLedger ledger_change = {};
};

struct WhyRun {
  std::string file;
  MachineConfig machine;
  SetupOutcome outcome;
};

struct Why {
  std::string workload;
  WhyRun a;
  WhyRun b;
  std::vector<WhyStep> steps;

  Cycle difference() const { return b.outcome.cycles - a.outcome.cycles; }
};

/// Calls `progress` with the finished share. Throws InputError if the workloads differ, or if a
/// report's cycles differ from the cycles of its run here.
Why explain_why(const RecordedRun& a, const RecordedRun& b,
                const std::function<void(double)>& progress);

/// Schema 1; docs/json.md explains each key.
nlohmann::ordered_json why_json(const Why& why);

/// The page's data (docs/page.md).
nlohmann::ordered_json why_page_data(const Why& why, const std::string& command_line);

void print_why(const Why& why, const Streams& streams);

}  // namespace weft::report
