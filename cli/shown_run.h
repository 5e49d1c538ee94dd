// The run that pages and traces draw, with every instruction. A run of a long product is not held,
// so they draw a run of its first instructions.
#pragma once

#include <cstddef>
#include <string>

#include "compiler/plan/tiling_plan.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::cli {

/// The most instructions of a product that a page or a trace of engine `analytic` holds: 250 MB.
inline constexpr std::size_t kShownInstructions = std::size_t{1} << 20U;

struct ShownRun {
  Program program;
  Result result;
  std::string note;  // says what is left out; empty if nothing is
};

/// A program and its run, with the timeline. Refers to what it was made of.
struct RunToDraw {
  explicit RunToDraw(const ShownRun& shown)
      : program(shown.program),
        timeline(shown.result.timeline),
        total(shown.result.total),
        note(shown.note) {}
  RunToDraw(const Program& of, const Result& result)
      : program(of), timeline(result.timeline), total(result.total) {}

  const Program& program;
  const Timeline& timeline;
  Cycle total;
  std::string note = {};
};

/// Runs the first instructions of a product, alone, on engine `analytic`. At most `most` of
/// them; `of_all` is the number of all its instructions.
ShownRun shown_run(const TilingPlan& plan, const MachineConfig& config, std::uint64_t of_all,
                   std::size_t most = kShownInstructions);

}  // namespace weft::cli
