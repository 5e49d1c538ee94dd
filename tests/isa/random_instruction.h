// Random instructions that use the whole range of every operand, for round trips.
#pragma once

#include <random>

#include "sim/isa/program.h"

namespace weft::testing_support {

class RandomInstructions {
 public:
  explicit RandomInstructions(std::uint64_t seed) : random_(seed) {}

  /// An instruction of unit `unit`.
  Instruction next(Unit unit) {
    Instruction instruction;
    switch (unit) {
      case Unit::kLoad:
        instruction.operation = Load{number(), word(), word()};
        break;
      case Unit::kFetch:
        instruction.operation = Fetch{number()};
        break;
      case Unit::kMatmul:
        instruction.operation = matmul();
        break;
      case Unit::kVector:
        instruction.operation = vector();
        break;
      case Unit::kStore:
        instruction.operation = Store{word(), number(), word()};
        break;
    }
    for (std::uint32_t& count : instruction.after.count) count = chance(3) ? word() : 0;
    return instruction;
  }

  Instruction next() { return next(static_cast<Unit>(random_() % kUnitCount)); }

  bool chance(unsigned one_in) { return random_() % one_in == 0; }

 private:
  /// Small, large and extreme values alike.
  std::uint64_t number() { return random_() >> random_() % 64; }
  std::uint32_t word() { return static_cast<std::uint32_t>(number()); }
  std::int32_t signed_word() { return static_cast<std::int32_t>(word()); }

  Matmul matmul() {
    Matmul matmul;
    matmul.ub.base = word();
    matmul.rows = word();
    if (chance(3)) {
      matmul.ub.loops[0] = {matmul.rows, 1};
    } else {
      for (RowLoop& loop : matmul.ub.loops) {
        if (!chance(3)) loop = {word(), signed_word()};
      }
    }
    for (RowBound& bound : matmul.ub.bounds) {
      if (chance(2)) bound = {signed_word(), signed_word(), word()};
    }
    matmul.ub.pad = static_cast<std::uint16_t>(number());
    matmul.acc = word();
    matmul.accumulate = chance(2);
    matmul.next_weights = chance(2);
    return matmul;
  }

  Vector vector() {
    Vector vector;
    vector.op = static_cast<VectorOp>(random_() % 3);
    vector.acc = word();
    vector.ub = word();
    vector.rows = word();
    vector.has_bias = chance(2);
    if (vector.has_bias) vector.bias = word();
    vector.low = chance(2) ? word() : 0;
    vector.high = chance(2) ? word() : 0;
    return vector;
  }

  std::mt19937_64 random_;
};

}  // namespace weft::testing_support
