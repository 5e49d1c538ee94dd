// The matrix product that a command line asks for, and its plan on the chosen machine.
#pragma once

#include "cli/arguments.h"
#include "cli/common_options.h"
#include "cli/operands.h"
#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// Reads M K N from the positional arguments or, if there are none, from the files. Throws
/// InputError if they are missing, wrong or contradictory.
MatmulSpec read_spec(const Arguments& arguments, const InputHeaders& headers);

/// Reads M K N from the positional arguments alone, without bias and activation. Throws InputError.
MatmulSpec read_sizes(const Arguments& arguments);

/// M, K and N of `weft matmul` without arguments.
inline constexpr std::uint64_t kDefaultSize = 1000;

/// The advice for a program that does not fit.
inline constexpr std::string_view kPlanAdvice =
    "choose smaller sizes or a larger array (--array.rows, --array.cols)";

/// plan_matmul(), then a check that the program fits this computer's memory.
TilingPlan plan_workload(const MatmulSpec& spec, const MachineConfig& config,
                         std::string_view advice = kPlanAdvice);

}  // namespace weft::cli
