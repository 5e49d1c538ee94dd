// The matrix product that a command line asks for, and its plan on the machine that it names.
#pragma once

#include "cli/arguments.h"
#include "cli/common_options.h"
#include "cli/operands.h"
#include "compiler/plan/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// M K N from the positional arguments or, where there are none, from the files. Throws InputError
/// if they are missing, wrong, or contradict each other.
MatmulSpec read_spec(const Arguments& arguments, const InputHeaders& headers);

/// M K N from the positional arguments alone, nothing added to the product. Throws InputError.
MatmulSpec read_sizes(const Arguments& arguments);

/// 1000 x 1000 x 1000: what `weft matmul` does when nothing is said.
inline constexpr std::uint64_t kDefaultSize = 1000;

/// What to do about a program that does not fit.
inline constexpr std::string_view kPlanAdvice =
    "choose smaller sizes or a larger array (--array.rows, --array.cols)";

/// plan_matmul(), after a check that its program fits this computer's memory.
TilingPlan plan_workload(const MatmulSpec& spec, const MachineConfig& config,
                         std::string_view advice = kPlanAdvice);

}  // namespace weft::cli
