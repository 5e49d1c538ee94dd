#include "runtime/job/one_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/mapping/instruction_tiles.h"
#include "compiler/mapping/tile_walk.h"

namespace weft::runtime {
namespace {

/// 0, step, 2 step, ..., then `size`.
std::vector<std::int64_t> edges(std::uint64_t size, std::uint64_t step) {
  std::vector<std::int64_t> list;
  for (std::uint64_t at = 0; at < size; at += step) list.push_back(static_cast<std::int64_t>(at));
  list.push_back(static_cast<std::int64_t>(size));
  return list;
}

bool lists_edges(const TilingPlan& plan) {
  return plan.m_chunks <= kMostTileEdges && plan.k_tiles <= kMostTileEdges &&
         plan.n_tiles <= kMostTileEdges &&
         plan.m_chunks + plan.k_tiles + plan.n_tiles <= kMostTileEdges;
}

compiler::LayerInfo layer_of(const Program& program, const std::optional<TilingPlan>& plan) {
  compiler::LayerInfo info;
  info.name = "program";
  if (program.computes) {
    const MatmulSpec& spec = *program.computes;
    info.name = fmt::format("{} x {} x {}", spec.m, spec.k, spec.n);
    info.op = "MatMul";
    info.macs = spec.m * spec.k * spec.n;
  }
  if (!plan) return info;
  info.issued_macs = plan->macs.issued;
  info.k_tiles = plan->k_tiles;
  info.n_tiles = plan->n_tiles;
  info.chunks = plan->m_chunks;
  info.fetches = plan->folds;
  info.scheduled = transfer_notes(*plan);
  if (!lists_edges(*plan)) return info;
  info.tiles.m = edges(plan->spec.m, plan->chunk_rows);
  info.tiles.k = edges(plan->spec.k, program.array_rows);
  info.tiles.n = edges(plan->spec.n, program.array_cols);
  return info;
}

std::vector<compiler::TileNumbers> tiles_of(const Program& program, const TilingPlan& plan) {
  std::vector<compiler::TileNumbers> tiles;
  tiles.reserve(program.code.size());
  for (const InstructionTile& tile : instruction_tiles(plan, program)) {
    tiles.push_back({static_cast<std::int32_t>(tile.chunk), static_cast<std::int32_t>(tile.k_tile),
                     static_cast<std::int32_t>(tile.n_tile)});
  }
  return tiles;
}

/// Host rows of weights that the program loads. A streamed program is not held, but has a plan.
std::uint64_t weight_rows(const Program& program, const std::optional<TilingPlan>& plan) {
  if (program.code.empty()) return plan ? TileWalk(*plan).loaded_rows() : 0;
  const auto tensor = std::ranges::find_if(
      program.tensors, [&](const TensorDecl& each) { return is_weight_rows(program, each); });
  if (tensor == program.tensors.end()) return 0;
  const std::uint64_t end = tensor->base + tensor_extent(*tensor, program);
  std::uint64_t rows = 0;
  for (const Instruction& instruction : program.code) {
    const auto* load = std::get_if<Load>(&instruction.operation);
    if (load != nullptr && load->host >= tensor->base && load->host < end) rows += load->rows;
  }
  return rows;
}

/// What loads of weights bring counts as weights; for the machine it is rows like all others.
Traffic traffic_of(const Program& program, const std::optional<TilingPlan>& plan, Traffic traffic) {
  const std::uint64_t bytes =
      weight_rows(program, plan) * program.array_rows * element_bytes(program.dtype);
  traffic.weight_bytes += bytes;
  traffic.input_bytes -= bytes;
  return traffic;
}

}  // namespace

compiler::NetworkProgram one_layer(Program program, const std::optional<TilingPlan>& plan) {
  compiler::MachineStep step;
  step.layers.push_back(layer_of(program, plan));
  step.instruction_layer.resize(program.code.size());
  step.instruction_tile.resize(program.code.size());
  if (plan) step.instruction_tile = tiles_of(program, *plan);
  step.program = std::move(program);
  compiler::NetworkProgram network;
  network.steps.emplace_back(std::move(step));
  return network;
}

NetworkRun one_layer_run(const Program& program, const std::optional<TilingPlan>& plan,
                         Result result) {
  NetworkRun run;
  LayerRun& layer = run.layers.emplace_back();
  layer.info = layer_of(program, plan);
  layer.info.issued_macs = result.issued_macs;
  run.traffic = traffic_of(program, plan, result.traffic);
  layer.info.weight_bytes = run.traffic.weight_bytes;
  layer.info.input_bytes = run.traffic.input_bytes;
  layer.info.output_bytes = run.traffic.output_bytes;
  layer.cycles = result.total;
  layer.ledger = result.ledger;
  layer.events = result.events;
  layer.path = result.critical_path;
  run.total = result.total;
  run.ledger = result.ledger;
  run.path = result.critical_path;
  run.events = result.events;
  run.issued_macs = result.issued_macs;
  run.useful_macs = layer.info.macs;
  run.programs = 1;
  run.instructions = result.instructions;
  run.compared_cycles = result.compared_cycles;
  run.timelines.push_back(std::move(result.timeline));
  return run;
}

}  // namespace weft::runtime
