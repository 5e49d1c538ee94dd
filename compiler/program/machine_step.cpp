#include "compiler/program/machine_step.h"

#include <utility>

namespace weft::compiler {

MachineStep new_step(const MachineConfig& config) {
  MachineStep step;
  step.program.array_rows = config.array_rows;
  step.program.array_cols = config.array_cols;
  step.program.dtype = config.dtype;
  return step;
}

void ProgramSink::add(const Instruction& instruction, std::uint32_t layer,
                      const TileNumbers& tile) {
  instructions_.push_back(instruction);
  layers_.push_back(layer);
  tiles_.push_back(tile);
}

void ProgramSink::finish(MachineStep& step) {
  step.program.code.reserve(instructions_.size());
  while (!instructions_.empty()) {
    step.program.code.push_back(std::move(instructions_.front()));
    instructions_.pop_front();  // so that its memory can be used again
  }
  step.instruction_layer = std::move(layers_);
  step.instruction_tile = std::move(tiles_);
}

}  // namespace weft::compiler
