// The matrix product that a command line asks for, and its plan on the chosen machine.
#pragma once

#include "cli/options/arguments.h"
#include "cli/options/common_options.h"
#include "compiler/mapping/tiling_plan.h"
#include "runtime/workload/operands.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// Reads M K N from the positional arguments or, if there are none, from the files. Throws
/// InputError if they are missing, wrong or contradictory.
MatmulSpec read_spec(const Arguments& arguments, const runtime::InputHeaders& headers);

/// True for one word that is no number. M alone is left to the readers of sizes, which say what is
/// missing.
bool names_network(const Arguments& arguments);

/// Reads M K N from the positional arguments alone, without bias and activation. Throws InputError.
MatmulSpec read_sizes(const Arguments& arguments);

/// M, K and N of `weft matmul` without arguments.
inline constexpr std::uint64_t kDefaultSize = 1000;

}  // namespace weft::cli
