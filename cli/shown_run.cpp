#include "cli/shown_run.h"

#include <fmt/format.h>

#include "cli/text.h"
#include "compiler/lowering/matmul.h"
#include "sim/simulate.h"

namespace weft::cli {

ShownRun shown_run(const TilingPlan& plan, const MachineConfig& config, std::uint64_t of_all,
                   std::size_t most) {
  ShownRun shown;
  shown.program = matmul_header(plan, config);
  const auto stream = matmul_stream(plan, config);
  while (shown.program.code.size() < most && stream->next(shown.program.code)) {
  }
  SimulateOptions options;
  options.engine = Engine::kAnalytic;
  shown.result = simulate(config, shown.program, nullptr, options);
  if (shown.program.code.size() < of_all) {
    shown.note = fmt::format(
        "The timeline shows a run of the first {} of {}: more would take too much memory.",
        grouped(shown.program.code.size()), counted(of_all, "instruction"));
  }
  return shown;
}

}  // namespace weft::cli
