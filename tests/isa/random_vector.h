// Random vector instructions for small buffers. Some are valid; most others nearly are.
#pragma once

#include <cstdint>
#include <random>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::testing_support {

class RandomVectors {
 public:
  explicit RandomVectors(std::uint32_t seed) : random_(seed) {}

  std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(random_);
  }
  bool flip() { return pick(0, 1) == 1; }
  RowFormat format() { return flip() ? RowFormat::kWide : RowFormat::kNarrow; }
  LaneWindow window() { return {pick(0, 3), pick(0, 6)}; }

  Vector next(const MachineConfig& config) {
    Vector vector;
    vector.rows = pick(1, 8);
    vector.ub = pick(0, 50);
    vector.mode = static_cast<VectorMode>(pick(0, 2));
    vector.format = format();
    vector.window = window();
    vector.lanes = pick(0, config.array_cols);
    vector.fill = flip();
    vector.has_bias = flip();
    vector.bias = pick(0, 50);
    if (flip()) {
      vector.source = VectorSource{.rows = generator(), .format = format(), .window = window()};
    }
    if (flip()) vector.operand = VectorOperand{pick(0, 50), pick(0, 6), format(), window(), {}};
    return vector;
  }

 private:
  RowGenerator generator() {
    RowGenerator generator;
    generator.base = pick(60, 80);
    for (RowLoop& loop : generator.loops) {
      loop = {pick(2, 3), static_cast<std::int32_t>(pick(0, 8)) - 3};
    }
    generator.bounds[0] = {static_cast<std::int32_t>(pick(0, 2)) - 1, 1, pick(0, 3)};
    return generator;
  }

  std::mt19937 random_;
};

}  // namespace weft::testing_support
