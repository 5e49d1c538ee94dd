#include "report/trace/run_trace.h"

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "compiler/mapping/instruction_tiles.h"
#include "report/network_report.h"
#include "sim/analysis/summary.h"
#include "sim/config/config_keys.h"
#include "sim/trace/trace_events.h"

namespace weft::report {
namespace {

void add_tile(const InstructionTile& tile, TraceArguments& args) {
  if (tile.chunk >= 0) args.add("chunk", tile.chunk);
  if (tile.k_tile >= 0) args.add("k_tile", tile.k_tile);
  if (tile.n_tile >= 0) args.add("n_tile", tile.n_tile);
}

std::string program_title(std::string_view command, const MachineConfig& config,
                          const Program& program) {
  if (!program.computes) return fmt::format("weft {} on {}", command, machine_title(config));
  const MatmulSpec& spec = *program.computes;
  return fmt::format("weft {} {} x {} x {} on {}", command, spec.m, spec.k, spec.n,
                     machine_title(config));
}

void add_programs(TraceEvents& events, const network::NetworkProgram& program,
                  const runtime::NetworkRun& run) {
  Cycle begin = 0;
  std::size_t layer = 0;
  auto timeline = run.timelines.begin();
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<network::MachineStep>(&step);
    if (machine == nullptr) {
      ++layer;
      continue;
    }
    events.add_program(machine->program, *timeline, begin,
                       [&](std::size_t instruction, TraceArguments& args) {
                         args.add("layer", layer + machine->instruction_layer[instruction]);
                         const network::TileNumbers& tile = machine->instruction_tile[instruction];
                         add_tile({tile.chunk, tile.k_tile, tile.n_tile}, args);
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

void write_program_trace(std::ostream& out, std::string_view command, const MachineConfig& config,
                         const Program& program, const std::optional<TilingPlan>& plan,
                         const Timeline& timeline) {
  TraceEvents events(out, config, program_title(command, config, program));
  std::vector<InstructionTile> tiles;
  if (plan) tiles = instruction_tiles(*plan, program);
  events.add_program(program, timeline, 0, [&](std::size_t instruction, TraceArguments& args) {
    if (plan) add_tile(tiles[instruction], args);
  });
  events.finish();
}

void write_network_trace(std::ostream& out, std::string_view title, const MachineConfig& config,
                         const network::NetworkProgram& program, const runtime::NetworkRun& run) {
  TraceEvents events(out, config, fmt::format("weft {} on {}", title, machine_title(config)));
  add_programs(events, program, run);
  add_layers(events, run);
  events.finish();
}

}  // namespace weft::report
