#include "sim/array/buffer_tile.h"

#include <cassert>
#include <cstring>

#include "sim/array/lane_window.h"

namespace weft {
namespace {

/// The lanes of `tile` that lie in plane `plane` (lane_window.h).
LanePiece plane_piece(const BufferTile& tile, std::uint32_t plane, std::uint32_t row_elements) {
  const std::uint32_t lane = plane == 0 ? 0 : plane * row_elements - tile.window.column;
  return piece_from(tile.window, lane, tile.lanes, row_elements);
}

}  // namespace

void read_tile_row(const BufferTile& tile, std::uint32_t index, const MachineConfig& config,
                   const UnifiedBuffer& buffer, std::span<std::byte> out) {
  const std::size_t size = element_bytes(config.dtype);
  const std::size_t tile_row_bytes = config.array_cols * size;
  const std::uint32_t row = index % tile.rows;
  const LanePiece piece = plane_piece(tile, index / tile.rows, config.array_rows);
  const std::byte* from = buffer.row(tile.row + row + piece.row_offset).data();
  from += piece.element * size;
  const std::size_t first_row = std::size_t{tile.at} + (tile.transpose ? piece.lane : row);
  const std::size_t first_col = tile.transpose ? row : piece.lane;
  assert((first_row + (tile.transpose ? piece.count : 1)) * tile_row_bytes <= out.size());
  std::byte* to = out.data() + first_row * tile_row_bytes + first_col * size;
  if (!tile.transpose) return void(std::memcpy(to, from, piece.count * size));
  for (std::uint32_t lane = 0; lane < piece.count; ++lane) {
    std::memcpy(to + lane * tile_row_bytes, from + lane * size, size);
  }
}

}  // namespace weft
