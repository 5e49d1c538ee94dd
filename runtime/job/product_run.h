// One run of a product's program, from operands to a checked result: simulation, the host's part,
// check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "runtime/job/run_observers.h"
#include "runtime/product_check.h"
#include "runtime/workload/run_values.h"
#include "sim/simulate.h"

namespace weft::runtime {

/// A program, and where its operands come from.
struct ProductJob {
  MachineConfig machine;
  Program program;
  std::optional<TilingPlan> plan = {};  // set if Weft's compiler made the program
  /// The product of `plan` runs without its program being held; `program` has no instructions.
  /// Only for engine analytic.
  bool streamed = false;
  RunOptions options;
  InputHeaders inputs;       // of the files in `options`
  bool random_bias = false;  // without a bias file: random values if true, else zeros
};

struct ProductRun {
  Result result;
  CheckReport check;
  double wall_seconds = 0;         // of the simulation alone
  std::vector<std::string> notes;  // what the host did in addition to the machine
  std::optional<ArrayRecording> recording;
};

/// Checks what can be checked before any operand is read. Throws InputError for a seed without
/// effect, for matrices that this computer's memory cannot hold, and for a uint8 B that the host
/// cannot correct; throws ConfigError if engine rtl has no such array.
void check_before_run(const ProductJob& job);

/// Runs the program. `values` are its operands and its result [M,N], which the host completes; null
/// for engine analytic. Throws InputError, SimulationError, CheckError.
ProductRun run_product(const ProductJob& job, RunValues* values, const RunObservers& observers);

}  // namespace weft::runtime
