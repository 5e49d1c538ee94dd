// The instructions of a program while they are written, in program order.
//
//   emit --> DependenceTracker --> InstructionSink
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/program/dependences.h"
#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::compiler {

/// Takes the instructions of a program: holds them, times them, counts them.
class InstructionSink {
 public:
  InstructionSink() = default;
  InstructionSink(const InstructionSink&) = delete;
  InstructionSink& operator=(const InstructionSink&) = delete;
  virtual ~InstructionSink() = default;

  /// The program's next instruction. It belongs to layer `layer` and works on `tile`.
  virtual void add(const Instruction& instruction, std::uint32_t layer,
                   const TileNumbers& tile) = 0;
};

class Stream {
 public:
  /// Appends to `sink` at most `most` instructions. Counts the transfers of each layer in
  /// `step.layers`, to which begin_layer() refers. All references must outlive the stream.
  Stream(const MachineConfig& config, MachineStep& step, InstructionSink& sink, std::size_t most)
      : config_(config), step_(step), sink_(sink), most_(most), tracker_(config) {}

  /// Everything emitted from here on belongs to `layer`.
  void begin_layer(std::uint32_t layer) {
    layer_ = layer;
    tile_ = {};
  }
  /// Everything emitted from here on works on `tile`.
  void begin_tile(const TileNumbers& tile) { tile_ = tile; }

  std::size_t most() const { return most_; }
  /// Instructions so far.
  std::size_t count() const { return count_; }
  /// Throws InputError if `count` instructions in all would be too many.
  void expect(std::uint64_t count) const {
    if (count > most_) refuse_longer();
  }
  /// Adds the counts for which the operation waits. Throws InputError if there are too many.
  void emit(const Operation& operation);

 private:
  [[noreturn]] void refuse_longer() const;

  const MachineConfig& config_;
  MachineStep& step_;
  InstructionSink& sink_;
  const std::size_t most_;
  DependenceTracker tracker_;
  std::size_t count_ = 0;
  std::uint32_t layer_ = 0;
  TileNumbers tile_ = {};
};

}  // namespace weft::compiler
