#include "runtime/workload/compiled_product.h"

#include <utility>
#include <variant>

#include "compiler/emit/matmul.h"
#include "compiler/schedule/product/product_graph.h"
#include "runtime/compile.h"

namespace weft::runtime {

TilingPlan scheduled_plan(const MatmulSpec& spec, const MachineConfig& config) {
  plan_matmul(spec, config);  // throws what concerns sizes and buffers
  const NetworkSchedule scheduled = schedule(compiler::product_graph(spec, config.dtype), config);
  const auto& step = std::get<compiler::ScheduledSegment>(scheduled.network.steps.front());
  return plan_of(step.schedule.layers.front().mappings.front(), spec, config);
}

CompiledProduct compile_product(const MatmulSpec& spec, const MachineConfig& config,
                                std::string_view advice) {
  // The compiler takes another plan only if both are small.
  const TilingPlan estimated = plan_matmul(spec, config);
  check_memory(program_bytes(estimated) + matrix_bytes(matmul_header(estimated, config)),
               "the matrices and the program", advice);
  CompiledNetwork compiled = compile(compiler::product_graph(spec, config.dtype), config);
  auto& step = std::get<compiler::MachineStep>(compiled.program.steps.front());
  return {plan_of(step.schedule.layers.front().mappings.front(), spec, config),
          std::move(step.program)};
}

}  // namespace weft::runtime
