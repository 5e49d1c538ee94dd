#include "compiler/emit/vector/vector_rows.h"

namespace weft::compiler {

StagedBlocks staged_blocks(const RowWalk& walk, std::int64_t channels, const Mapping& mapping,
                           const MachineConfig& config) {
  return {Chunks(walk, mapping.chunk_rows),
          channel_ranges(channels, std::int64_t{mapping.column_tiles}, config)};
}

Placement write_place(const View& view, const Chunk& chunk, const ChannelRange& range,
                      LoweringContext& context) {
  return context.memory.write_from(view.sheet, write_block(view, chunk, range, context.places()),
                                   view.channel + range.first);
}

VectorSource narrow_source(const View& view, const Chunk& chunk, const LaneTile& tile,
                           const ChunkInput::ChunkRows& rows, const LoweringContext& context,
                           std::int64_t ky, std::int64_t kx, std::uint16_t pad) {
  const LaneBlock lanes =
      lane_block(context, view.sheet, view.channel + tile.first, tile.width, rows.at.plane_step);
  VectorSource source;
  source.rows = tap_rows(rows.walk, chunk, ky, kx, rows.at.at(lanes.plane, view.row), pad);
  source.window = lanes.window;
  return source;
}

VectorSource wide_source(std::uint32_t base, std::int64_t rows, const MachineConfig& config) {
  VectorSource source;
  source.rows.base = base;
  source.rows.loops[0] = {static_cast<std::uint32_t>(rows),
                          static_cast<std::int32_t>(config.result_row_rows())};
  source.format = RowFormat::kWide;
  return source;
}

VectorOperand wide_operand(std::uint32_t base, const MachineConfig& config) {
  return {.row = base, .step = config.result_row_rows()};
}

VectorOperand constant_operand(std::uint32_t base) {
  return {.row = base};
}

Vector to_wide(VectorSource source, std::uint32_t base, std::int64_t rows, const LaneTile& tile,
               const MachineConfig& config) {
  Vector vector;
  vector.domain = VectorDomain::kFloat;
  vector.source = source;
  vector.ub = base;
  vector.rows = static_cast<std::uint32_t>(rows);
  if (tile.width < config.array_cols) vector.lanes = static_cast<std::uint32_t>(tile.width);
  return vector;
}

Vector to_narrow(VectorSource source, const View& out, const Placement& placement,
                 const Chunk& chunk, const LaneTile& tile, const LoweringContext& context) {
  const LaneBlock block =
      lane_block(context, out.sheet, out.channel + tile.first, tile.width, placement.plane_step);
  Vector vector;
  vector.domain = VectorDomain::kFloat;
  vector.source = source;
  vector.format = RowFormat::kNarrow;
  vector.ub = static_cast<std::uint32_t>(placement.at(block.plane, out.row + chunk.first_row));
  vector.rows = static_cast<std::uint32_t>(chunk.rows());
  vector.window = block.window;
  vector.lanes = block.lanes;
  vector.fill = block.fill;
  return vector;
}

}  // namespace weft::compiler
