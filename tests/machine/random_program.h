// Random machines and random programs for tests that compare engines. The programs mix any
// instructions and any dependences, so they reach timings that no compiler would emit. They may
// deadlock or break the hazard rule; the engines must agree on that too.
#pragma once

#include <algorithm>
#include <array>
#include <random>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "tests/isa/random_patches.h"

namespace weft::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Returns a number uniform in low .. high.
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(engine_() % (std::uint64_t{high} - low + 1));
  }
  bool chance(std::uint32_t percent) { return between(1, 100) <= percent; }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// R and C from 1 to 33, FIFO from 1 to 4, every memory kind, and rates from far too slow to more
/// than enough.
inline MachineConfig random_machine(Random& random) {
  constexpr ElementType kTypes[] = {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16};
  constexpr MemoryKind kKinds[] = {MemoryKind::kIdeal, MemoryKind::kShared, MemoryKind::kSplit};
  const std::uint32_t limit = random.chance(70) ? 6 : 33;
  MachineConfig config;
  config.clock_hz = random.between(1, 1000) * std::uint64_t{1'000'003};
  config.array_rows = random.between(1, limit);
  config.array_cols = random.between(1, limit);
  config.dtype = kTypes[random.between(0, 2)];
  config.double_buffer = random.chance(60);
  config.accumulator_rows = random.chance(50) ? random.between(1, 12) : random.between(13, 256);
  config.unified_buffer_kib = random.chance(50) ? random.between(1, 2) : random.between(3, 64);
  config.weight_fifo_tiles = random.between(1, 4);
  config.memory_kind = kKinds[random.between(0, 2)];
  config.memory_bytes_per_s = config.clock_hz * random.between(1, 4000) / 100;
  config.memory_latency_cycles = random.chance(50) ? 0 : random.between(1, 40);
  config.host_bytes_per_s = config.clock_hz * random.between(1, 4000) / 100;
  config.host_latency_cycles = random.chance(50) ? 0 : random.between(1, 40);
  config.vector_latency_cycles = random.chance(50) ? 1 : random.between(2, 12);
  config.queue_depth = random.chance(30) ? 1 : random.between(2, 16);
  return config;
}

/// A program of `length` instructions. Each `after` count can be reached, but not always in program
/// order.
class RandomProgram {
 public:
  RandomProgram(const MachineConfig& config, std::uint32_t length, Random& random)
      : config_(config), random_(random) {
    program_.array_rows = config.array_rows;
    program_.array_cols = config.array_cols;
    program_.dtype = config.dtype;
    for (std::uint32_t i = 0; i < length; ++i) program_.code.push_back({operation(), {}});
    set_dependences();
  }

  const Program& program() const { return program_; }

 private:
  Operation operation() {
    switch (random_.between(0, 9)) {
      case 0:
      case 1:
        return load();
      case 2:
      case 3:
        ++tiles_;
        return fetch();
      case 4:
        return vector();
      case 5:
        return Store{random_.between(0, 3), random_.between(0, 50), random_.between(1, 4)};
      default:
        return matmul();
    }
  }

  Load load() {
    if (random_.chance(60)) {
      return {random_.between(0, 50), random_.between(0, 3), random_.between(1, 4)};
    }
    Load load = testing_support::random_patch_load(
        config_.array_rows, 6,
        [this](std::uint32_t low, std::uint32_t high) { return random_.between(low, high); });
    load.ub = random_.between(0, 3);
    return load;
  }

  std::uint32_t limited(std::uint32_t rows) const {
    return std::min(rows, config_.accumulator_rows);
  }

  // Fetches from the first few buffer rows, which every machine has.
  Fetch fetch() {
    if (random_.chance(60)) return {};
    BufferTile tile;
    tile.row = random_.between(0, 3);
    tile.rows = random_.between(1, std::min(4U, config_.array_rows));
    tile.lanes = random_.between(1, std::min(4U, config_.array_cols));
    tile.window = {random_.between(0, config_.array_rows - 1), 1};
    return {0, tile};
  }

  Vector vector() {
    Vector vector;
    vector.rows = limited(random_.between(1, 5));
    if (random_.chance(50)) return vector;
    vector.source = VectorSource{};
    vector.source->rows.loops[0] = {vector.rows, 1};
    vector.source->window.plane = 1;
    return vector;
  }

  Operation matmul() {
    Matmul matmul;
    matmul.rows = limited(random_.chance(50) ? random_.between(1, 4) : random_.between(5, 40));
    matmul.ub.loops[0] = {matmul.rows, 0};
    matmul.next_weights = swaps_ == 0 || random_.chance(75);
    // A tile that is fetched later deadlocks if the fetch waits for this matmul. Such programs are
    // rare, so that most programs run to their end.
    if (matmul.next_weights && tiles_ <= swaps_ && !random_.chance(2)) {
      ++tiles_;
      return fetch();
    }
    swaps_ += matmul.next_weights ? 1 : 0;
    return matmul;
  }

  void set_dependences() {
    std::array<std::uint32_t, kUnitCount> before{};
    std::array<std::uint32_t, kUnitCount> total{};
    for (const Instruction& instruction : program_.code) {
      ++total[static_cast<std::size_t>(instruction.unit())];
    }
    for (Instruction& instruction : program_.code) {
      for (std::size_t u = 0; u < kUnitCount; ++u) {
        if (!random_.chance(25)) continue;
        const std::uint32_t reach = random_.chance(1) ? total[u] : before[u];
        const std::uint32_t back = random_.chance(60) ? random_.between(0, 2) : reach;
        instruction.after.count[u] = random_.between(reach - std::min(reach, back), reach);
      }
      ++before[static_cast<std::size_t>(instruction.unit())];
    }
  }

  const MachineConfig& config_;
  Random& random_;
  Program program_;
  std::uint32_t tiles_ = 0;
  std::uint32_t swaps_ = 0;
};

}  // namespace weft::testing
