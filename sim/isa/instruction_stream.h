// A program that is made while it runs: whoever times or counts its instructions need not hold it.
#pragma once

#include <vector>

#include "sim/isa/instruction.h"

namespace weft {

class InstructionStream {
 public:
  InstructionStream() = default;
  InstructionStream(const InstructionStream&) = delete;
  InstructionStream& operator=(const InstructionStream&) = delete;
  virtual ~InstructionStream() = default;

  /// Appends the next instructions in program order: at least one, few in all. Returns false,
  /// without appending any, after the last one.
  virtual bool next(std::vector<Instruction>& instructions) = 0;
};

}  // namespace weft
