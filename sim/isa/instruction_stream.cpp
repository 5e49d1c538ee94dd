#include "sim/isa/instruction_stream.h"

namespace weft {

bool InstructionStream::begins_pass(std::size_t) const {
  return false;
}

InstructionStream::Position InstructionStream::position() const {
  return {};
}

std::uint64_t InstructionStream::repetitions(std::size_t, const Position&) const {
  return 0;
}

void InstructionStream::visit(StateVisitor&) {}

}  // namespace weft
