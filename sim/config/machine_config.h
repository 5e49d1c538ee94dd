// The machine's parameters: one struct, filled from an INI file, a preset or the command line. The
// table of keys in config_keys.cpp defines all of them.
//
// Rates are kept as exact integers (Hz, bytes per second) so that no cycle count ever depends on
// floating point. Source of the preset values: docs/machines.md.
#pragma once

#include <cstdint>
#include <string>

#include "pe/element_type.h"

namespace weft {

/// ideal: every transfer takes zero cycles. shared: one channel for fetch, load and store.
/// split: one channel for weight memory (fetch), one for the host link (load, store), as in TPU v1.
enum class MemoryKind : std::uint8_t { kIdeal, kShared, kSplit };

/// The process in which the machine is made; the energy table of this name prices its events.
enum class ProcessNode : std::uint8_t { kNone, k45nm, k28nm, k16nm, k7nm };

/// What stands at the other end of the memory channel: DRAM of some kind, or another link to the
/// host (an Edge TPU reaches everything through USB).
enum class MemoryTechnology : std::uint8_t { kDdr, kHbm, kGddr, kLink };

struct MachineConfig {
  std::string name = "custom";
  std::uint64_t clock_hz = 100'000'000;

  std::uint32_t array_rows = 4;  // R, along K
  std::uint32_t array_cols = 4;  // C, along N
  ElementType dtype = ElementType::kInt8;
  bool double_buffer = true;

  std::uint32_t accumulator_rows = 64;   // rows of C 32-bit sums
  std::uint32_t unified_buffer_kib = 4;  // rows of R elements
  std::uint32_t weight_fifo_tiles = 4;

  MemoryKind memory_kind = MemoryKind::kIdeal;
  std::uint64_t memory_bytes_per_s = 1'000'000'000;
  std::uint32_t memory_latency_cycles = 0;
  std::uint64_t host_bytes_per_s = 1'000'000'000;
  std::uint32_t host_latency_cycles = 0;

  std::uint32_t vector_latency_cycles = 1;
  std::uint32_t queue_depth = 16;

  // What only energy depends on, never a cycle.
  ProcessNode node = ProcessNode::kNone;
  std::uint64_t static_milliwatts = 0;  // that the chip takes when it does nothing
  MemoryTechnology memory_technology = MemoryTechnology::kDdr;

  friend bool operator==(const MachineConfig&, const MachineConfig&) = default;

  /// Bytes of one UB row: R elements.
  std::uint32_t row_bytes() const { return array_rows * element_bytes(dtype); }
  /// Whole UB rows that fit the unified buffer.
  std::uint64_t unified_buffer_rows() const {
    return std::uint64_t{unified_buffer_kib} * 1024 / row_bytes();
  }
  /// Bytes of one R x C weight tile.
  std::uint64_t tile_bytes() const { return std::uint64_t{row_bytes()} * array_cols; }
  /// UB rows that one row of C 32-bit results occupies.
  std::uint32_t result_row_rows() const { return (array_cols * 4 + row_bytes() - 1) / row_bytes(); }
};

/// Throws ConfigError naming the key, the value and the allowed range if any field, or a
/// combination of fields (a UB smaller than one row), is out of range.
void validate(const MachineConfig& config);

}  // namespace weft
