#include "sim/analysis/summary.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/analysis/ledger.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/transfers.h"

namespace weft {
namespace {

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

// The ledger of the array span, and with the cycles before and after it that of the run.
void count_cycles(const MachineConfig& config, const Program& program, const Timeline& timeline,
                  Result& result) {
  const Cycle first = result.array_span == 0 ? 0 : timeline.pushes.front();
  const std::array<Cycle, 4> boundaries = {0, first, first + result.array_span, result.total};
  const std::vector<CycleLedger> parts = ledgers(config, program, timeline, boundaries);
  result.span_ledger = parts[1];
  for (const LedgerClass& entry : kLedgerClasses) {
    for (const CycleLedger& part : parts) result.ledger.*entry.cycles += part.*entry.cycles;
  }
}

}  // namespace

void count_work(const MachineConfig& config, const Operation& operation, Result& result) {
  count_events(config, operation, result.events);
  if (const auto* matmul = std::get_if<Matmul>(&operation)) {
    result.issued_macs += std::uint64_t{matmul->rows} * config.array_rows * config.array_cols;
  }
  const auto request = transfer_request(operation, config);
  if (!request) return;
  const Opcode opcode = opcode_of(operation);
  if (opcode == Opcode::kLoad) result.traffic.input_bytes += request->bytes;
  if (opcode == Opcode::kFetch) result.traffic.weight_bytes += request->bytes;
  if (opcode == Opcode::kStore) result.traffic.output_bytes += request->bytes;
}

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
  result.instructions = program.code.size();
  result.array_span = span_of_array(config, program, timeline);
  count_cycles(config, program, timeline, result);
  for (const Instruction& instruction : program.code) {
    count_work(config, instruction.operation, result);
  }
  result.events.pushes = timeline.pushes.size();
  result.timeline = std::move(timeline);
  return result;
}

}  // namespace weft
