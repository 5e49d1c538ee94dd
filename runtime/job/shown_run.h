// The run that pages and traces draw, with every instruction. A run of a long product is not held,
// so they draw a run of its first instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/mapping/tiling_plan.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// The most instructions of a product that a page or a trace of engine `analytic` holds. The
/// command takes some 450 MB then.
inline constexpr std::size_t kShownInstructions = std::size_t{1} << 20U;

struct ShownRun {
  Program program;
  Result result;     // with the timeline
  std::string note;  // says what is left out; empty if nothing is
};

/// Runs the first instructions of a product, alone, on engine `analytic`. At most `most` of
/// them; `of_all` is the number of all its instructions.
ShownRun shown_run(const TilingPlan& plan, const MachineConfig& config, std::uint64_t of_all,
                   std::size_t most = kShownInstructions);

}  // namespace weft::runtime
