// How long a matrix product would take on a device that is not here: output tiles in waves over its
// units, or the bytes of operands and result over its memory, whichever is longer.
//
//        N                    each tile of the result is one unit's work; the last tiles stick out
//   +----+----+--+----+       beyond M and N and cost as much as whole ones (tile quantisation);
//   |tile|tile|til|         a wave is as many tiles as there are units, and the last wave takes as
//  M+----+----+--+            long as a full one (wave quantisation)
//   |tile|tile|til|
//   +----+----+--+    time = max(waves * tile_m * tile_n * Kp * 2 / (FLOP a clock * clock),
//                                bytes / bandwidth)
//
// Source of the two effects and of the tiles: NVIDIA, Matrix Multiplication Background User's
// Guide. What the model leaves out: docs/compare.md.
#pragma once

#include <cstdint>
#include <span>

#include "models/devices/device.h"

namespace weft::devices {

struct Tile {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  friend bool operator==(const Tile&, const Tile&) = default;
};

/// `count` independent products [M,K] x [K,N], run as one.
struct GemmShape {
  std::uint64_t m = 0;
  std::uint64_t k = 0;
  std::uint64_t n = 0;
  std::uint64_t count = 1;
  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// 2 * M * K * N of all of them.
double useful_flop(const GemmShape& shape);
/// Bytes of operands and result.
double gemm_bytes(const GemmShape& shape, NumberFormat format);

struct GemmModel {
  Tile tile = {};
  std::uint64_t tiles = 0;
  std::uint64_t waves = 0;
  double useful_flop = 0;
  double issued_flop = 0;    // of the tiles, in whole
  double occupied_flop = 0;  // of all units in all waves
  double compute_seconds = 0;
  double memory_seconds = 0;

  bool memory_bound() const { return memory_seconds > compute_seconds; }
  double seconds() const { return memory_bound() ? memory_seconds : compute_seconds; }
  /// Tile quantisation alone: 1 - useful / issued.
  double padding() const { return 1 - useful_flop / issued_flop; }
  /// Tile and wave quantisation: 1 - useful / occupied.
  double waste() const { return 1 - useful_flop / occupied_flop; }
};

/// The tiles that a library may choose on such a device, the most efficient first.
std::span<const Tile> tiles_of(DeviceKind kind);

/// With this tile. K is padded to whole instructions: 32 bytes of operands on tensor cores. The
/// device multiplies `format`; sizes are at least 1 and the tiles fit 64 bits.
GemmModel model_gemm(const Device& device, NumberFormat format, const GemmShape& shape, Tile tile);

/// With the tile of the least compute time; among equals the first of tiles_of().
GemmModel model_gemm(const Device& device, NumberFormat format, const GemmShape& shape);

}  // namespace weft::devices
