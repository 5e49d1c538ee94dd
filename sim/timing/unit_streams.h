// A program split by unit: the order in which each queue receives its instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/program.h"

namespace weft {

/// For each unit, the program indices of its instructions, in order.
struct UnitStreams : PerUnit<std::vector<std::uint32_t>> {
  /// For tile j in FIFO order: the position in the matmul stream of the matmul that swaps it in.
  std::vector<std::uint32_t> tile_takers;

  explicit UnitStreams(const Program& program) {
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
      const Instruction& instruction = program.code[i];
      auto& stream = (*this)[instruction.unit()];
      const auto* matmul = std::get_if<Matmul>(&instruction.operation);
      if (matmul != nullptr && matmul->next_weights) {
        tile_takers.push_back(static_cast<std::uint32_t>(stream.size()));
      }
      stream.push_back(i);
    }
  }
};

}  // namespace weft
