// What a run would need of this computer's memory, checked before it is taken.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// Throws InputError if this computer has less memory than `bytes`. The message says that `what`
/// needs them and ends with `advice`.
void check_memory(double bytes, std::string_view what, std::string_view advice);

/// Upper bound on the instructions in the program of `plan`.
std::uint64_t most_instructions(const TilingPlan& plan);

/// Upper bound on the bytes for the program of `plan` and its timeline.
double program_bytes(const TilingPlan& plan);

/// Bytes of the matrices of a program.
double matrix_bytes(const Program& program);

/// The advice for a program that does not fit.
inline constexpr std::string_view kPlanAdvice =
    "choose smaller sizes or a larger array (--array.rows, --array.cols)";

/// What to do if matrices and program of a run with values are too large.
inline constexpr std::string_view kValuesAdvice =
    "choose smaller sizes, or --engine analytic, which holds neither";

}  // namespace weft::runtime
