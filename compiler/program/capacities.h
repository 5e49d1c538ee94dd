// How much of a machine's memories a program is planned for. A program that is planned for less
// than the machine has also runs there, in no more cycles than on the smaller machine
// (docs/compiler.md, "More capacity never costs cycles").
#pragma once

#include <cstdint>

#include "sim/config/machine_config.h"

namespace weft::compiler {

struct Capacities {
  std::uint32_t unified_buffer_kib = 0;  // 0, in each: what the machine has
  std::uint32_t accumulator_rows = 0;
  std::uint32_t weight_fifo_tiles = 0;
  friend bool operator==(const Capacities&, const Capacities&) = default;
};

/// Whether the machine's buffer and accumulators have room for `parts` parts of these capacities.
inline bool fits_at_once(const Capacities& capacities, std::int64_t parts,
                         const MachineConfig& config) {
  const auto fits = [&](std::uint32_t of_part, std::uint32_t all) {
    return parts == 1 || (of_part > 0 && parts <= std::int64_t{all / of_part});
  };
  return fits(capacities.unified_buffer_kib, config.unified_buffer_kib) &&
         fits(capacities.accumulator_rows, config.accumulator_rows);
}

inline Capacities capacities_of(const MachineConfig& config) {
  return {config.unified_buffer_kib, config.accumulator_rows, config.weight_fifo_tiles};
}

/// The machine, with these capacities.
inline MachineConfig with_capacities(MachineConfig config, const Capacities& capacities) {
  const auto replace = [](std::uint32_t& value, std::uint32_t planned) {
    if (planned > 0) value = planned;
  };
  replace(config.unified_buffer_kib, capacities.unified_buffer_kib);
  replace(config.accumulator_rows, capacities.accumulator_rows);
  replace(config.weight_fifo_tiles, capacities.weight_fifo_tiles);
  return config;
}

}  // namespace weft::compiler
