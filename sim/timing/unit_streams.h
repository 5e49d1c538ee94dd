// A program split by unit: the order in which each queue receives its instructions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/program.h"

namespace weft {

struct UnitStreams {
  /// Program indices of each unit's instructions, in order.
  std::array<std::vector<std::uint32_t>, kUnitCount> of_unit;
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

  std::vector<std::uint32_t>& operator[](Unit unit) {
    return of_unit[static_cast<std::size_t>(unit)];
  }
  const std::vector<std::uint32_t>& operator[](Unit unit) const {
    return of_unit[static_cast<std::size_t>(unit)];
  }
};

}  // namespace weft
