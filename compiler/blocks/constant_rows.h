// Constants that the vector unit reads while a layer runs: biases, scales, filters, divisors. A
// constant stays in the unified buffer for the whole layer if there is room. Otherwise each tile of
// channels loads its blocks of rows when needed, into one of two places in staging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/layers/layers.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// The UB rows of a constant: `blocks` blocks of `block_rows` rows. A tile of channels takes at
/// most `most` adjacent blocks.
struct ConstantRows {
  std::uint32_t blocks = 0;
  std::uint32_t block_rows = 0;
  std::uint32_t most = 1;

  std::uint64_t rows() const { return std::uint64_t{blocks} * block_rows; }
  /// Places in staging, each for `most` blocks.
  std::uint32_t places() const { return most < blocks ? 2 : 1; }
  friend bool operator==(const ConstantRows&, const ConstantRows&) = default;
};

/// The most rows with a bias of their own that one vector instruction takes
/// (Epilogue::bias_by_row).
inline constexpr std::int64_t kMostBiasRows = 256;

/// The layer's constants, in the order in which its instructions first load them.
std::vector<ConstantRows> constants_of(const LayerBody& layer, const MachineConfig& config);

/// How many constants the steps have.
std::size_t constant_count(const std::vector<LaneStep>& steps);

/// The different line counts of an average pool with unequal windows, in ascending order. Each has
/// a block of divisors, with a wide row (32-bit words) for each column.
std::vector<std::int64_t> different_line_counts(const WindowLayer& layer);

/// True if the divisors of an average pool take no more than their share of the unified buffer.
bool divisors_fit(const WindowLayer& layer, const MachineConfig& config);

/// UB rows that a constant of `rows` rows and `channels` channels takes as wide rows.
std::uint64_t constant_need(std::int64_t rows, std::int64_t channels, const MachineConfig& config);

/// A constant while its layer runs.
struct PlacedConstant {
  ConstantRows rows;
  std::optional<std::uint32_t> base;  // first UB row; nullopt: loaded through staging

  /// UB rows of staging that it takes.
  std::uint64_t staging_need() const {
    return base ? 0 : std::uint64_t{rows.places()} * rows.most * rows.block_rows;
  }
};

/// UB rows of staging that the constants take together.
std::uint64_t staging_need(std::span<const PlacedConstant> constants);

}  // namespace weft::compiler
