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
/// tiles; or, if the taps are packed, all elements of the window one after the other. A product is
/// one tap with K channels. With joined lines, the window is what the windows of `lines` lines of
/// the result reach, and N has each filter once for each of them.
struct ContractionShape {
  std::uint64_t taps_y = 1;
  std::uint64_t taps_x = 1;
  std::uint64_t channels = 0;
  std::uint64_t n = 0;
  bool is_convolution = false;
  bool is_packed = false;
  std::uint64_t lines = 1;

  std::uint64_t taps() const { return taps_y * taps_x; }
  /// What begins a new tile: each tap, or the window if its taps are packed.
  std::uint64_t parts() const { return is_packed ? 1 : taps(); }
  /// Rows of K of each part.
  std::uint64_t part_rows() const { return is_packed ? taps() * channels : channels; }
  /// Tiles along one part; tiles along all of K.
  std::uint64_t part_blocks(const MachineConfig& config) const {
    return ceil_div(part_rows(), config.array_rows);
  }
  std::uint64_t k_blocks(const MachineConfig& config) const {
    return parts() * part_blocks(config);
  }
};

}  // namespace weft::runtime
