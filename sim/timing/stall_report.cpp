#include "sim/timing/stall_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace weft {
namespace {

std::vector<std::string> unmet_dependences(const Instruction& instruction,
                                           const RunProgress& progress) {
  std::vector<std::string> reasons;
  for (const Unit unit : kUnits) {
    const std::uint32_t wanted = instruction.after[unit];
    if (wanted > progress.started[unit]) {
      reasons.push_back(
          fmt::format("{}:{} (only {} retired)", unit_name(unit), wanted, progress.started[unit]));
    }
  }
  return reasons;
}

// The FIFO position of the tile that matmul `position` of the stream swaps in.
std::uint32_t tile_of(const UnitStreams& streams, std::uint32_t position) {
  const auto& takers = streams.tile_takers;
  return static_cast<std::uint32_t>(std::lower_bound(takers.begin(), takers.end(), position) -
                                    takers.begin());
}

bool lacks_tile(const Instruction& instruction, const UnitStreams& streams, std::uint32_t position,
                const RunProgress& progress) {
  const auto* matmul = std::get_if<Matmul>(&instruction.operation);
  return matmul != nullptr && matmul->next_weights &&
         tile_of(streams, position) >= progress.tiles_pushed;
}

std::string head_report(const Program& program, const UnitStreams& streams, Unit unit,
                        const RunProgress& progress) {
  const std::uint32_t position = progress.started[unit];
  const std::uint32_t index = streams[unit][position];
  if (index >= progress.dispatched) {
    return instruction_name(program, index) + " is not dispatched";
  }
  const Instruction& head = program.code[index];
  std::vector<std::string> reasons = unmet_dependences(head, progress);
  if (lacks_tile(head, streams, position, progress)) {
    reasons.push_back(fmt::format("tile {} of the weight FIFO", tile_of(streams, position)));
  }
  return fmt::format("{} waits for {}", instruction_name(program, index),
                     fmt::join(reasons, " and "));
}

std::string sequencer_report(const MachineConfig& config, const Program& program,
                             const RunProgress& progress) {
  const Unit unit = program.code[progress.dispatched].unit();
  return fmt::format(
      "sequencer: {} waits for a free slot in the {} queue (sequencer.queue_depth = {})",
      instruction_name(program, progress.dispatched), unit_name(unit), config.queue_depth);
}

}  // namespace

std::string stall_report(const MachineConfig& config, const Program& program,
                         const UnitStreams& streams, const RunProgress& progress,
                         Cycle last_retired) {
  std::vector<std::string> parts;
  for (const Unit unit : kUnits) {
    if (progress.started[unit] < streams[unit].size()) {
      parts.push_back(head_report(program, streams, unit, progress));
    }
  }
  if (progress.dispatched < program.code.size()) {
    parts.push_back(sequencer_report(config, program, progress));
  }
  return fmt::format("deadlock after cycle {}: nothing can ever start; {}",
                     std::max<Cycle>(0, last_retired), fmt::join(parts, "; "));
}

}  // namespace weft
