// Random machines for whole small networks: small arrays, memories from far too slow to ample.
#pragma once

#include "sim/config/config_keys.h"
#include "sim/config/machine_config.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {

inline MachineConfig random_machine(Random& random, ElementType dtype) {
  MachineConfig config = load_preset("tiny");
  config.dtype = dtype;
  config.array_rows = static_cast<std::uint32_t>(random.between(1, 24));
  config.array_cols = static_cast<std::uint32_t>(random.between(1, 24));
  config.accumulator_rows = static_cast<std::uint32_t>(random.between(32, 600));
  config.unified_buffer_kib = static_cast<std::uint32_t>(random.between(16, 400));
  config.memory_kind = random.one_of({MemoryKind::kIdeal, MemoryKind::kSplit, MemoryKind::kShared});
  config.memory_bytes_per_s = config.clock_hz * static_cast<std::uint64_t>(random.between(1, 200));
  config.host_bytes_per_s = config.clock_hz * static_cast<std::uint64_t>(random.between(1, 200));
  config.double_buffer = random.chance(80);
  return config;
}

}  // namespace weft::compiler::testing
