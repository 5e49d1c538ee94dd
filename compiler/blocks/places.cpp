#include "compiler/blocks/places.h"

#include <algorithm>
#include <limits>

#include "compiler/rows/ceil_div.h"

namespace weft::compiler {

std::uint64_t usable_rows(const MachineConfig& config) {
  return std::min<std::uint64_t>(config.unified_buffer_rows(),
                                 std::numeric_limits<std::int32_t>::max());
}

std::uint64_t tile_slot_rows(const MachineConfig& config) {
  const std::int64_t rows = config.array_rows;
  const std::int64_t cols = config.array_cols;
  const bool aligned = cols % rows == 0 || rows % cols == 0;
  // A tile may begin with the last column of a plane.
  const std::int64_t planes = ceil_div(aligned ? cols : rows - 1 + cols, rows);
  return static_cast<std::uint64_t>(rows * planes);
}

BufferParts staging_only(const MachineConfig& config) {
  return {0, 0, usable_rows(config), 0};
}

std::int64_t Places::plane_width(std::size_t id) const {
  return sheet(id).wide ? config_.array_cols : config_.array_rows;
}

std::int64_t Places::planes(std::size_t id) const {
  return ceil_div(sheet(id).size.channels, plane_width(id));
}

std::uint64_t Places::total_rows(std::size_t id) const {
  const std::uint64_t width = sheet(id).wide ? config_.result_row_rows() : 1;
  return static_cast<std::uint64_t>(planes(id) * sheet(id).size.rows) * width;
}

Placement Places::whole(std::size_t id) const {
  const std::int64_t width = sheet(id).wide ? config_.result_row_rows() : 1;
  return {std::int64_t{base(id)}, sheet(id).size.rows * width, width};
}

std::uint64_t Places::staging_need(std::size_t id, const Block& block) const {
  if (resident(id)) return 0;
  return block.rows() * (sheet(id).wide ? config_.result_row_rows() : 1);
}

}  // namespace weft::compiler
