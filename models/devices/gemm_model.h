// Estimates how long a matrix product would take on a device that is not available.
//
//        N                    One unit computes one tile. The last tiles reach beyond M and N but
//   +----+----+--+----+       cost as much as whole ones (tile quantization).
//   |tile|tile|til|           A wave is one tile per unit. The last wave takes as long as a full
//  M+----+----+--+            one (wave quantization).
//   |tile|tile|til|
//   +----+----+--+    time = launch + max(compute, sustained, L2, memory)
//
//   compute    waves * FLOP of a tile / (FLOP per clock * boost clock)
//   sustained  FLOP of all tiles / (peak * sustained share): power and heat lower the clock until
//              the tiles of a long product take this long. Units without a tile take little power,
//              so a product that leaves units idle reaches a higher clock.
//   L2         operand elements of all tiles / rate of the shared cache
//   memory     operands and result, each moved once / (bandwidth * its share)
//
// Source of tiles and waves: NVIDIA, Matrix Multiplication Background User's Guide. docs/compare.md
// derives each term and lists what the model leaves out.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

/// 2 * M * K * N, summed over all products.
constexpr double useful_flop(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.count) * static_cast<double>(shape.m) *
         static_cast<double>(shape.k) * static_cast<double>(shape.n);
}
/// Bytes of operands and result.
double gemm_bytes(const GemmShape& shape, NumberFormat format);

/// The term that takes longest.
enum class GemmBound : std::uint8_t { kLaunch, kCompute, kSustained, kL2, kMemory };

/// "launch", "compute", "sustained rate", "L2", "memory".
std::string_view to_string(GemmBound bound);

struct GemmModel {
  Tile tile = {};
  std::uint64_t tiles = 0;
  std::uint64_t waves = 0;
  double useful_flop = 0;
  double issued_flop = 0;    // of all tiles, padding included
  double occupied_flop = 0;  // of all units, idle or not, in all waves
  double launch_seconds = 0;
  double compute_seconds = 0;    // of the waves at the boost clock
  double sustained_seconds = 0;  // of the tiles at the sustained rate
  double l2_seconds = 0;         // 0 if the cache's rate is not published
  double memory_seconds = 0;

  GemmBound bound() const;
  /// Of the tiles, without launch and memory.
  double tile_seconds() const;
  double seconds() const;
  /// Tile quantization alone: 1 - useful / issued.
  double padding() const { return 1 - useful_flop / issued_flop; }
  /// Tile and wave quantization: 1 - useful / occupied.
  double waste() const { return 1 - useful_flop / occupied_flop; }
};

/// Tiles that a library may choose on a device of this kind, most efficient first.
std::span<const Tile> tiles_of(DeviceKind kind);

/// The estimate with this tile. K is padded to whole instructions: 32 bytes of operands on tensor
/// cores. The device must multiply `format`, sizes must be at least 1, and the number of tiles must
/// fit 64 bits.
GemmModel model_gemm(const DeviceModel& device, NumberFormat format, const GemmShape& shape,
                     Tile tile);

/// The estimate with the tile that takes the least tile_seconds(). Ties go to the first in
/// tiles_of().
GemmModel model_gemm(const DeviceModel& device, NumberFormat format, const GemmShape& shape);

}  // namespace weft::devices
