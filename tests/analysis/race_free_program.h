// Random programs with the compiler's dependences, so they run without hazards in any overlap that
// the machine allows. They contain walks with strides and padding, sums that grow in place, rows
// written by groups of lanes, and tiles from memory and from the buffer.
#pragma once

#include <algorithm>

#include "compiler/program/dependences.h"
#include "tests/machine/random_vector.h"

namespace weft::testing {

/// Has 1 to 9 rows and columns, a buffer of 4 KiB and any memory.
inline MachineConfig race_free_machine(Random& random) {
  constexpr ElementType kTypes[] = {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16};
  const MachineConfig shape = small_vector_machine(kTypes[random.between(0, 2)], random);
  MachineConfig config = random_machine(random);
  config.dtype = shape.dtype;
  config.array_rows = shape.array_rows;
  config.array_cols = shape.array_cols;
  config.accumulator_rows = shape.accumulator_rows;
  config.vector_latency_cycles = shape.vector_latency_cycles;
  config.unified_buffer_kib = 4;
  return config;
}

class RaceFreeProgram {
 public:
  RaceFreeProgram(const MachineConfig& config, Random& random)
      : config_(config),
        random_(random),
        vectors_(config, random),
        tracker_(config),
        buffer_rows_(static_cast<std::uint32_t>(config.unified_buffer_rows())) {
    program_.array_rows = config.array_rows;
    program_.array_cols = config.array_cols;
    program_.dtype = config.dtype;
    add(Load{0, 0, buffer_rows_});
    add(Fetch{0, {}});
    add(contiguous(config.accumulator_rows, 0, false));
    const std::uint32_t steps = random.between(2, 24);
    for (std::uint32_t i = 0; i < steps; ++i) step();
  }

  const Program& program() const { return program_; }

 private:
  void add(const Operation& operation) {
    program_.code.push_back({operation, tracker_.add(operation)});
  }

  void step() {
    const std::uint32_t rows = random_.between(1, 6);
    switch (random_.between(0, 9)) {
      case 0:
      case 1:
        return add(Load{random_.between(0, 99), random_.between(0, buffer_rows_ - rows), rows});
      case 2:
        return add(Store{random_.between(0, buffer_rows_ - rows), random_.between(100, 199), rows});
      case 3:
      case 4:
      case 5:
        add(random_.chance(70) ? Fetch{random_.between(0, 9), {}} : Fetch{0, vectors_.tile()});
        return add(random_.chance(50) ? any_contiguous() : strided());
      case 6:
        return neighbors(random_.between(0, buffer_rows_ - rows), rows);
      default:
        return add(vectors_.vector());
    }
  }

  /// Writes one lane of each row; the row is read before the next lane is added.
  void neighbors(std::uint32_t row, std::uint32_t rows) {
    Vector vector;
    vector.domain = VectorDomain::kFloat;
    vector.rows = std::min(rows, config_.accumulator_rows);
    vector.ub = row;
    vector.format = RowFormat::kNarrow;
    vector.lanes = 1;
    vector.fill = false;
    for (; vector.window.column < std::min(config_.array_rows, 3U); ++vector.window.column) {
      add(vector);
      add(Store{row, random_.between(100, 199), vector.rows});
    }
  }

  Matmul contiguous(std::uint32_t rows, std::uint32_t acc, bool accumulate) {
    Matmul matmul;
    matmul.ub = contiguous_rows(random_.between(0, buffer_rows_ - rows), rows);
    matmul.acc = acc;
    matmul.rows = rows;
    matmul.accumulate = accumulate;
    return matmul;
  }

  Matmul any_contiguous() {
    const std::uint32_t rows = random_.between(1, config_.accumulator_rows);
    return contiguous(rows, random_.between(0, config_.accumulator_rows - rows),
                      random_.chance(50));
  }

  /// Up to six rows, up to three apart; the first and the last may be padding.
  Matmul strided() {
    Matmul matmul = contiguous(random_.between(2, 6), 0, random_.chance(50));
    matmul.ub.base = random_.between(20, buffer_rows_ - 20);
    matmul.ub.loops[0] = {matmul.rows, static_cast<std::int32_t>(random_.between(0, 5)) - 2};
    if (random_.chance(30)) matmul.ub.bounds[0] = {-1, 1, matmul.rows - 1};
    return matmul;
  }

  const MachineConfig& config_;
  Random& random_;
  RandomVectors vectors_;
  DependenceTracker tracker_;
  const std::uint32_t buffer_rows_;
  Program program_;
};

}  // namespace weft::testing
