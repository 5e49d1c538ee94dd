#include "sim/analysis/summary.h"

#include <algorithm>
#include <utility>

#include "sim/analysis/ledger.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/transfers.h"

namespace weft {
namespace {

void count_instruction(const MachineConfig& config, const Instruction& instruction,
                       Result& result) {
  const std::uint64_t bytes = transfer_bytes(instruction.operation, config);
  switch (instruction.unit()) {
    case Unit::kLoad:
      result.traffic.input_bytes += bytes;
      break;
    case Unit::kFetch:
      result.traffic.weight_bytes += bytes;
      break;
    case Unit::kStore:
      result.traffic.output_bytes += bytes;
      break;
    case Unit::kMatmul:
      result.issued_macs += std::uint64_t{std::get<Matmul>(instruction.operation).rows} *
                            config.array_rows * config.array_cols;
      break;
    case Unit::kVector:
      break;
  }
}

// From the first push to the cycle after the last PE's last product.
Cycle span_of_array(const MachineConfig& config, const Program& program, const Timeline& timeline) {
  for (std::size_t i = program.code.size(); i-- > 0;) {
    const auto* matmul = std::get_if<Matmul>(&program.code[i].operation);
    if (matmul == nullptr) continue;
    const Cycle started = timeline.instructions[i].started;
    return ArrayTiming(config).empty(started, matmul->rows) - timeline.pushes.front();
  }
  return 0;
}

}  // namespace

Cycle total_cycles(const Timeline& timeline) {
  Cycle last = -1;
  for (const InstructionTiming& timing : timeline.instructions) {
    last = std::max(last, timing.retired);
  }
  return last + 1;
}

Result summarize(const MachineConfig& config, const Program& program, Timeline timeline) {
  Result result;
  result.total = total_cycles(timeline);
  result.array_span = span_of_array(config, program, timeline);
  result.ledger = ledger(config, program, timeline, result.total);
  for (const Instruction& instruction : program.code) {
    count_instruction(config, instruction, result);
  }
  result.timeline = std::move(timeline);
  return result;
}

}  // namespace weft
