#include "compiler/program/machine_step.h"

#include <utility>
#include <variant>

#include "compiler/program/dependences.h"

namespace weft::network {
namespace {

void count_transfers(const Stream& stream, MachineStep& step, const MachineConfig& config) {
  for (std::size_t i = 0; i < stream.operations().size(); ++i) {
    LayerInfo& info = step.layers[stream.layers()[i]];
    if (const auto* load = std::get_if<Load>(&stream.operations()[i])) {
      info.input_bytes += std::uint64_t{load->rows} * config.row_bytes();
    } else if (const auto* store = std::get_if<Store>(&stream.operations()[i])) {
      info.output_bytes += std::uint64_t{store->rows} * config.row_bytes();
    }
  }
}

}  // namespace

void finish_step(Stream& stream, MachineStep& step, const MachineConfig& config) {
  count_transfers(stream, step, config);
  DependenceTracker tracker(config);
  step.program.code.reserve(stream.operations().size());
  while (!stream.operations().empty()) {
    Operation operation = stream.take();
    const After after = tracker.add(operation);
    step.program.code.push_back({std::move(operation), after});
  }
  step.instruction_layer = stream.layers();
  step.instruction_tile = stream.tiles();
}

MachineStep new_step(const MachineConfig& config) {
  MachineStep step;
  step.program.array_rows = config.array_rows;
  step.program.array_cols = config.array_cols;
  step.program.dtype = config.dtype;
  return step;
}

}  // namespace weft::network
