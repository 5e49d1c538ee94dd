// A run read from its --json report, with everything needed to repeat it.
#pragma once

#include <string>

#include "report/explain/setup.h"

namespace weft::report {

struct RecordedRun {
  std::string file;
  Setup setup;
  Cycle cycles = 0;            // according to the report
  bool followed_plan = false;  // and not setup.effort
};

/// Reads a report of `weft matmul`, `conv`, `run`, `explain`, or `exec` of a program that the
/// compiler made. Throws InputError naming the file for any other file or another schema.
RecordedRun read_recorded_run(const std::string& file);

}  // namespace weft::report
