// One run from program to report, shared by `matmul` and `exec`: operands, simulation, the host's
// part, check, files, summary.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::optional<TilingPlan> plan;  // set if Weft's compiler made the program
  /// The product of `plan` runs without its program being held; `program` has no instructions.
  bool streamed = false;
  RunOptions options;
  InputHeaders inputs;
  bool random_bias = false;             // without a bias file: random values if true, else zeros
  std::vector<std::string> notes = {};  // what was found before the run, for the report
};

/// Throws InputError if this computer has less memory than `bytes`. The message says that `what`
/// needs them and ends with `advice`.
void check_memory(double bytes, std::string_view what, std::string_view advice);

/// Upper bound on the bytes for the program of `plan` and its timeline.
double program_bytes(const TilingPlan& plan);

/// Bytes of the matrices of a program.
double matrix_bytes(const Program& program);

/// Exit code 0, or 1 if the check found a mismatch. Throws InputError, SimulationError.
int run_job(const Job& job, const Streams& streams);

}  // namespace weft::cli
