#include "sim/config/machine_config.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.h"
#include "base/printable.h"
#include "sim/config/config_keys.h"

namespace weft {
namespace {

// No buffer of the simulated machine may take more memory than this.
constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 32U;

/// A value is in range exactly if its key can print it and read it back.
void check_ranges(const MachineConfig& config) {
  MachineConfig copy = config;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.print(config);
    if (!key.parse(copy, value)) {
      throw ConfigError(fmt::format("{} = {}: must be {}", key.name, printable(value), key.range));
    }
  }
}

void check_unified_buffer(const MachineConfig& config) {
  if (config.unified_buffer_rows() > 0) return;
  throw ConfigError(fmt::format(
      "unified_buffer.kib = {}: must be at least {} to hold one row of array.rows = {} {} elements",
      config.unified_buffer_kib, (config.row_bytes() + 1023) / 1024, config.array_rows,
      to_string(config.dtype)));
}

void check_accumulators(const MachineConfig& config) {
  const std::uint64_t row_bytes = std::uint64_t{config.array_cols} * 4;
  if (config.accumulator_rows <= kMaxBufferBytes / row_bytes) return;
  throw ConfigError(fmt::format(
      "accumulators.rows = {}: must be at most {} with array.cols = {} (4 GiB of accumulators)",
      config.accumulator_rows, kMaxBufferBytes / row_bytes, config.array_cols));
}

void check_weight_fifo(const MachineConfig& config) {
  if (config.weight_fifo_tiles <= kMaxBufferBytes / config.tile_bytes()) return;
  throw ConfigError(fmt::format(
      "weight_fifo.tiles = {}: must be at most {} with tiles of {} bytes (4 GiB of weights)",
      config.weight_fifo_tiles, kMaxBufferBytes / config.tile_bytes(), config.tile_bytes()));
}

}  // namespace

void validate(const MachineConfig& config) {
  check_ranges(config);
  check_unified_buffer(config);
  check_accumulators(config);
  check_weight_fifo(config);
}

}  // namespace weft
