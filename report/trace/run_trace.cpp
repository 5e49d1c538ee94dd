#include "report/trace/run_trace.h"

#include <variant>

#include "sim/analysis/summary.h"
#include "sim/trace/trace_events.h"

namespace weft::report {
namespace {

void add_tile(const compiler::TileNumbers& tile, TraceArguments& args) {
  if (tile.chunk >= 0) args.add("chunk", tile.chunk);
  if (tile.k_tile >= 0) args.add("k_tile", tile.k_tile);
  if (tile.n_tile >= 0) args.add("n_tile", tile.n_tile);
}

/// Instructions of a network also name their layer; a product has only one.
void add_programs(TraceEvents& events, const RunReport& report,
                  const compiler::NetworkProgram& program) {
  Cycle begin = 0;
  std::size_t layer = 0;
  auto timeline = report.run.timelines.begin();
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<compiler::MachineStep>(&step);
    if (machine == nullptr) {
      ++layer;
      continue;
    }
    events.add_program(machine->program, *timeline, begin,
                       [&](std::size_t instruction, TraceArguments& args) {
                         if (!report.is_product()) {
                           args.add("layer", layer + machine->instruction_layer[instruction]);
                         }
                         add_tile(machine->instruction_tile[instruction], args);
                       });
    begin += total_cycles(*timeline++);
    layer += machine->layers.size();
  }
}

void add_layers(TraceEvents& events, const runtime::NetworkRun& run) {
  Cycle begin = 0;
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    const runtime::LayerRun& layer = run.layers[i];
    TraceArguments args;
    args.add("layer", i).add("op", layer.info.op).add("where", place_of(layer));
    if (layer.on_host) {
      events.add_host_node(layer.info.name, begin, args);
      continue;
    }
    events.add_layer(layer.info.name, begin, begin + layer.cycles, args);
    begin += layer.cycles;
  }
}

}  // namespace

void write_trace(std::ostream& out, const RunReport& report,
                 const compiler::NetworkProgram& program) {
  TraceEvents events(out, report.machine, "weft " + run_title(report));
  add_programs(events, report, program);
  if (!report.is_product()) add_layers(events, report.run);
  events.finish();
}

}  // namespace weft::report
