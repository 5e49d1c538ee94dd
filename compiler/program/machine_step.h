// Holds a program of the machine while it is written.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "compiler/program/network_program.h"
#include "compiler/program/stream.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// A program without instructions.
MachineStep new_step(const MachineConfig& config);

/// Keeps the instructions until the program is complete.
class ProgramSink final : public InstructionSink {
 public:
  void add(const Instruction& instruction, std::uint32_t layer, const TileNumbers& tile) override;
  /// Moves the instructions, their layers and tiles into the step.
  void finish(MachineStep& step);

 private:
  std::deque<Instruction> instructions_;  // grows without moving millions of instructions
  std::vector<std::uint32_t> layers_;
  std::vector<TileNumbers> tiles_;
};

/// Bytes that an instruction takes at most: finish() reserves room for all of them while the sink
/// still holds them.
inline constexpr std::uint64_t kBytesPerInstruction =
    2 * sizeof(Instruction) + sizeof(std::uint32_t) + sizeof(TileNumbers);

}  // namespace weft::compiler
