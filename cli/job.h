// One run from program to report, shared by `matmul` and `exec`: the run, files, summary.
#pragma once

#include <string>
#include <vector>

#include "cli/options/common_options.h"
#include "report/energy_report.h"
#include "report/streams.h"
#include "runtime/job/product_run.h"

namespace weft::cli {

struct Job : runtime::ProductJob {
  std::string command;
  std::string command_line = {};
  report::MachineFile machine_file = {};
  OutputFiles files;
  report::CostRequest cost = {};
  bool sensitivity = false;             // only of a product that the compiler made
  std::vector<std::string> notes = {};  // what was found before the run, for the report
};

/// Exit code 0, or 1 if the check found a mismatch. Throws InputError, SimulationError.
int run_job(Job job, const report::Streams& streams);

}  // namespace weft::cli
