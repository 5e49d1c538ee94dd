#include "models/devices/gemm_model.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace weft::devices {
namespace {

// In the guide's order, most efficient first: a larger tile reuses each fetched operand more often.
constexpr Tile kGpuTiles[] = {{256, 128}, {128, 256}, {256, 64}, {64, 256},
                              {128, 128}, {128, 64},  {64, 128}, {64, 64}};
// AVX2 registers hold 6 x 16 sums. BLIS and similar libraries use this tile.
constexpr Tile kCpuTiles[] = {{6, 16}};

std::uint64_t parts(std::uint64_t size, std::uint64_t part) {
  return (size - 1) / part + 1;
}

/// K of one instruction. Tensor cores take 32 bytes of a row at a time: 16 elements of fp16 or
/// bf16, 8 of tf32, 32 of int8 (the mma shapes of the PTX manual); plain fp32 takes one element.
std::uint64_t k_step(NumberFormat format) {
  constexpr std::uint64_t kInstructionBytes = 32;
  return format == NumberFormat::kFp32 ? 1 : kInstructionBytes / operand_bytes(format);
}

/// Bytes that all tiles read: each strip of A once per column of tiles, each of B once per row.
double l2_bytes(const GemmShape& shape, NumberFormat format, Tile tile) {
  const double a = static_cast<double>(shape.m) * static_cast<double>(parts(shape.n, tile.n));
  const double b = static_cast<double>(shape.n) * static_cast<double>(parts(shape.m, tile.m));
  return static_cast<double>(shape.count) * static_cast<double>(shape.k) * (a + b) *
         operand_bytes(format);
}

}  // namespace

std::string_view to_string(GemmBound bound) {
  constexpr std::array<std::string_view, 5> kNames = {"launch", "compute", "sustained rate", "L2",
                                                      "memory"};
  return kNames[static_cast<std::size_t>(bound)];
}

double GemmModel::tile_seconds() const {
  return std::max({compute_seconds, sustained_seconds, l2_seconds});
}

double GemmModel::seconds() const {
  return launch_seconds + std::max(tile_seconds(), memory_seconds);
}

GemmBound GemmModel::bound() const {
  const double rest = std::max(tile_seconds(), memory_seconds);
  if (launch_seconds > rest) return GemmBound::kLaunch;
  if (memory_seconds > tile_seconds()) return GemmBound::kMemory;
  if (compute_seconds == rest) return GemmBound::kCompute;
  return sustained_seconds == rest ? GemmBound::kSustained : GemmBound::kL2;
}

double gemm_bytes(const GemmShape& shape, NumberFormat format) {
  const auto m = static_cast<double>(shape.m);
  const auto k = static_cast<double>(shape.k);
  const auto n = static_cast<double>(shape.n);
  return static_cast<double>(shape.count) *
         ((m * k + k * n) * operand_bytes(format) + m * n * result_bytes(format));
}

std::span<const Tile> tiles_of(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return kCpuTiles;
  return kGpuTiles;
}

GemmModel model_gemm(const DeviceModel& device, NumberFormat format, const GemmShape& shape,
                     Tile tile) {
  assert(device.multiplies(format));
  const FormatRate& rate = device.rate(format);
  GemmModel model;
  model.tile = tile;
  model.tiles = shape.count * parts(shape.m, tile.m) * parts(shape.n, tile.n);
  model.waves = parts(model.tiles, device.units);
  const auto padded_k = static_cast<double>(parts(shape.k, k_step(format)) * k_step(format));
  const double tile_flop = 2.0 * tile.m * tile.n * padded_k;
  model.useful_flop = useful_flop(shape);
  model.issued_flop = static_cast<double>(model.tiles) * tile_flop;
  model.occupied_flop = static_cast<double>(model.waves) * device.units * tile_flop;
  const double cycles = static_cast<double>(model.waves) * tile_flop / rate.flop_per_clock;
  model.launch_seconds = device.launch_us * 1e-6;
  model.compute_seconds = cycles / (rate.clock_mhz * 1e6);
  model.sustained_seconds = model.issued_flop / (device.peak(format) * device.sustained_share);
  if (device.l2_gb_per_s > 0) {
    model.l2_seconds = l2_bytes(shape, format, tile) / (device.l2_gb_per_s * 1e9);
  }
  model.memory_seconds =
      gemm_bytes(shape, format) / (device.memory_gb_per_s * 1e9 * device.memory_share);
  return model;
}

GemmModel model_gemm(const DeviceModel& device, NumberFormat format, const GemmShape& shape) {
  const std::span<const Tile> tiles = tiles_of(device.kind);
  GemmModel best = model_gemm(device, format, shape, tiles.front());
  for (const Tile& tile : tiles.subspan(1)) {
    const GemmModel model = model_gemm(device, format, shape, tile);
    // A tie of sums that differ only by rounding is a tie.
    if (model.tile_seconds() < best.tile_seconds() * (1 - 1e-12)) best = model;
  }
  return best;
}

}  // namespace weft::devices
