// A program that is made while it runs: whoever times or counts its instructions need not hold it.
//
// The program may have loops. If the run is in the same state at two passes of a loop, then the
// instructions between them can be skipped as often as they repeat (sim/timing/repetition.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/instruction.h"
#include "sim/isa/run_state.h"

namespace weft {

class InstructionStream {
 public:
  /// The most loops that a stream may have.
  static constexpr std::size_t kLoops = 3;
  /// Where the stream is, in numbers that only the stream understands.
  using Position = std::array<std::uint64_t, 7>;

  InstructionStream() = default;
  InstructionStream(const InstructionStream&) = delete;
  InstructionStream& operator=(const InstructionStream&) = delete;
  virtual ~InstructionStream() = default;

  /// Appends the next instructions in program order: at least one, few in all. Returns false,
  /// without appending any, after the last one.
  virtual bool next(std::vector<Instruction>& instructions) = 0;

  /// Whether a pass of loop `loop` begins here, at which it is worth looking for a repetition.
  virtual bool begins_pass(std::size_t loop) const;
  virtual Position position() const;
  /// How many more times the instructions since `earlier` repeat from here on. They may differ in
  /// `after` counts, as far as the state says, and in tile numbers and host rows, which decide no
  /// cycle. A stream with repetitions touches no host row again that it has written.
  virtual std::uint64_t repetitions(std::size_t loop, const Position& earlier) const;
  /// Shows the state of the stream, on which the next instructions depend.
  virtual void visit(StateVisitor& visitor);
};

}  // namespace weft
