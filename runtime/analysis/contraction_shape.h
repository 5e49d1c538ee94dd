// The shape of one contraction as the account of its run sees it.
#pragma once

#include <cstdint>

#include "sim/config/machine_config.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft::runtime {

inline std::uint64_t unsigned_of(std::int64_t count) {
  return static_cast<std::uint64_t>(count);
}

/// The range [first, last) along a dimension.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// How K is cut into blocks of array rows: tap after tap, with the channels of each tap in whole
/// tiles. A product is one tap with K channels.
struct ContractionShape {
  std::uint64_t taps_y = 1;
  std::uint64_t taps_x = 1;
  std::uint64_t channels = 0;
  std::uint64_t n = 0;
  bool is_convolution = false;

  std::uint64_t taps() const { return taps_y * taps_x; }
  /// Tiles along the channels of one tap; tiles along all of K.
  std::uint64_t blocks_a_tap(const MachineConfig& config) const {
    return ceil_div(channels, config.array_rows);
  }
  std::uint64_t k_blocks(const MachineConfig& config) const {
    return taps() * blocks_a_tap(config);
  }
};

}  // namespace weft::runtime
