#include "sim/isa/check/operand_check.h"

#include "sim/isa/patches.h"
#include "sim/isa/program.h"

namespace weft {

void check_rows(std::uint32_t rows) {
  if (rows == 0) fail("rows must be at least 1");
}

void check_unified_buffer(std::string_view operand, std::uint64_t first, std::uint64_t count,
                          const MachineConfig& config) {
  const std::uint64_t size = config.unified_buffer_rows();
  if (first < size && count <= size - first) return;
  fail("{} takes {} UB rows from {} on, but unified_buffer.kib = {} has {}", operand, count, first,
       config.unified_buffer_kib, size);
}

void check_accumulators(std::uint64_t first, std::uint64_t count, const MachineConfig& config) {
  const std::uint64_t size = config.accumulator_rows;
  if (first < size && count <= size - first) return;
  fail("acc takes {} accumulator rows from {} on, but accumulators.rows = {}", count, first, size);
}

void check_host_rows(std::uint64_t first, std::uint64_t count, const MachineConfig& config) {
  const std::uint64_t size = kWeightMemory / config.row_bytes();
  if (first < size && count <= size - first) return;
  fail("host takes {} rows from {} on, but host memory has 2^63 bytes, which are {} rows", count,
       first, size);
}

namespace {

void check_axis(std::string_view name, const PatchAxis& axis) {
  if (axis.step == 0 || axis.limit == 0 || axis.dilation == 0) {
    fail("{}: step, limit and dilation must be at least 1", name);
  }
  if (axis.taps == 0 || axis.taps > kMostPatchTaps) {
    fail("{} has {} taps, but there must be 1..{}", name, axis.taps, kMostPatchTaps);
  }
}

}  // namespace

void check_patches(const Load& load, const MachineConfig& config) {
  const Patches& patches = *load.patches;
  if (patches.lanes == 0 || patches.lanes > config.array_rows) {
    fail("patch has {} lanes, but there must be 1..{}, as many as array.rows", patches.lanes,
         config.array_rows);
  }
  check_axis("patch.x", patches.x);
  check_axis("patch.y", patches.y);
  if (patches.width == 0 || load.rows % patches.width != 0) {
    fail("rows = {} is not a multiple of patch.width = {}", load.rows, patches.width);
  }
  check_element("patch.pad", patches.pad, config);
  const auto end = image_end(patches);
  const std::uint64_t rows = kWeightMemory / config.row_bytes();
  if (end && load.host < rows && *end <= (rows - load.host) * config.array_rows) return;
  fail("the image reaches beyond host memory, which has 2^63 bytes, or {} rows", rows);
}

void check_tile(std::uint64_t tile, const MachineConfig& config) {
  const std::uint64_t size = kWeightMemory / config.tile_bytes();
  if (tile < size) return;
  fail("tile is {}, but weight memory has 2^63 bytes, which are {} tiles", tile, size);
}

void check_element(std::string_view operand, std::uint16_t pattern, const MachineConfig& config) {
  if (element_bytes(config.dtype) == 1 && pattern > 0xFF) {
    fail("{} must be 0x0..0xff, an int8 element", operand);
  }
}

void check_generator(const RowGenerator& generator, std::uint32_t rows, const RowShape& shape,
                     const MachineConfig& config) {
  if (walk_length(generator) < rows) {
    fail("the loops take {} steps, fewer than rows", walk_length(generator));
  }
  const auto extremes = row_extremes(generator, rows);
  if (!extremes) return;
  const auto size = static_cast<std::int64_t>(config.unified_buffer_rows());
  const auto beyond = static_cast<std::int64_t>(shape_extent(shape)) - 1;
  if (extremes->lowest >= 0 && extremes->highest < size && extremes->highest + beyond < size) {
    return;
  }
  fail("the row generator reaches UB rows {} to {}, but unified_buffer.kib = {} has {}",
       extremes->lowest, extremes->highest + (extremes->highest < size ? beyond : 0),
       config.unified_buffer_kib, size);
}

void check_window(std::string_view operand, const LaneWindow& window, std::uint32_t lanes,
                  const MachineConfig& config) {
  if (window.column >= config.array_rows) {
    fail("{} begins in column {} of rows of array.rows = {} elements", operand, window.column,
         config.array_rows);
  }
  if (window.plane == 0 && plane_count(window, lanes, config) > 1) {
    fail(
        "{} has {} lanes from column {} on, more than a row of array.rows = {}; give the planes a "
        "distance",
        operand, lanes, window.column, config.array_rows);
  }
}

void check_buffer_tile(const BufferTile& tile, const MachineConfig& config) {
  if (tile.rows == 0 || tile.lanes == 0) fail("buffer must have at least one row and one lane");
  const std::uint32_t down = tile.transpose ? tile.lanes : tile.rows;
  const std::uint32_t across = tile.transpose ? tile.rows : tile.lanes;
  if (std::uint64_t{tile.at} + down > config.array_rows) {
    fail("buffer takes {} array rows from {} on, but array.rows = {}", down, tile.at,
         config.array_rows);
  }
  if (across > config.array_cols) {
    fail("buffer takes {} array columns, but array.cols = {}", across, config.array_cols);
  }
  check_window("window", tile.window, tile.lanes, config);
  const RowShape shape = row_shape(RowFormat::kNarrow, tile.window, tile.lanes, config);
  check_unified_buffer("buffer", tile.row, tile.rows - 1 + shape_extent(shape), config);
}

}  // namespace weft
