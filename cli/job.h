// One run from program to report, the same for `matmul` and `exec`: operands, simulation, the
// host's part, check, files, summary.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/common_options.h"
#include "cli/operands.h"
#include "cli/report.h"
#include "cli/streams.h"

namespace weft::cli {

struct Job {
  std::string command;
  std::string command_line = {};
  MachineConfig machine;
  Program program;
  std::optional<TilingPlan> plan;  // if the program is the compiler's own
  RunOptions options;
  InputHeaders inputs;
  bool random_bias = false;  // where no file gives it; else zero
};

/// Throws InputError if `bytes` is more than this computer has: `what` needs them, `advice` is what
/// to do about it.
void check_memory(double bytes, std::string_view what, std::string_view advice);

/// Bytes for the program of `plan` and its timeline, at most.
double program_bytes(const TilingPlan& plan);

/// Exit code 0, or 1 if the check found a mismatch. Throws InputError, SimulationError.
int run_job(const Job& job, const Streams& streams);

}  // namespace weft::cli
