// A run as its --json report has it: enough to make the same run again.
#pragma once

#include <string>

#include "cli/explain/setup.h"

namespace weft::cli {

struct RecordedRun {
  std::string file;
  Setup setup;
  Cycle cycles = 0;  // as the report says
};

/// Reads a report of `weft matmul`, `conv`, `run`, `exec` (of a program that the compiler made) or
/// `explain`. Throws InputError naming the file if it is no such report, or one of another schema.
RecordedRun read_recorded_run(const std::string& file);

}  // namespace weft::cli
