#include "runtime/job/shown_run.h"

#include <fmt/format.h>

#include <vector>

#include "base/figures.h"
#include "compiler/emit/matmul.h"
#include "sim/simulate.h"

namespace weft::runtime {

ShownRun shown_run(const TilingPlan& plan, const MachineConfig& config, std::uint64_t of_all,
                   std::size_t most) {
  ShownRun shown;
  shown.program = matmul_header(plan, config);
  std::vector<Instruction>& code = shown.program.code;
  const auto stream = matmul_stream(plan, config);
  while (code.size() < most && stream->next(code)) {
  }
  if (code.size() > most) code.erase(code.begin() + static_cast<std::ptrdiff_t>(most), code.end());
  SimulateOptions options;
  options.engine = Engine::kAnalytic;
  shown.result = simulate(config, shown.program, nullptr, options);
  if (code.size() < of_all) {
    shown.note =
        fmt::format("Page and trace show only the first {} of {}: more would take too much memory.",
                    grouped(code.size()), counted(of_all, "instruction"));
  }
  return shown;
}

}  // namespace weft::runtime
