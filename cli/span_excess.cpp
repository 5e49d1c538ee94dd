#include "cli/span_excess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/timing/streams.h"

namespace weft::cli {
namespace {

/// The first cycle after the retirement of the instruction at `position` of the unit's stream.
Cycle done(const Result& result, const std::vector<std::uint32_t>& stream, std::size_t position) {
  return result.timeline.instructions[stream[position]].retired + 1;
}

/// The cycles before the first push, as the ledger classifies them.
CycleLedger before_first_push(const Result& result, const Program& program) {
  const Streams streams(program);
  const Cycle push = result.timeline.pushes.front();
  CycleLedger before;
  before.weight_stall = std::min(push, done(result, streams[Unit::kFetch], 0));
  const Instruction& matmul = program.code[streams[Unit::kMatmul].front()];
  const std::uint32_t loads = matmul.after[Unit::kLoad];
  const Cycle loaded = loads == 0 ? 0 : done(result, streams[Unit::kLoad], loads - 1);
  before.input_stall =
      std::clamp<Cycle>(loaded - before.weight_stall, 0, push - before.weight_stall);
  before.idle = push - before.weight_stall - before.input_stall;
  return before;
}

CycleLedger formula_ledger(const RunReport& report) {
  const TilingPlan& plan = *report.plan;
  const Cycle rows = report.machine.array_rows;
  const Cycle drain = rows + report.machine.array_cols - 2;
  const auto formula = static_cast<Cycle>(plan.formula_cycles());
  CycleLedger expected;
  expected.array_active = report.result.ledger.array_active;
  if (report.machine.double_buffer) {
    expected.fill_drain = drain;
    expected.weight_shift = formula - expected.array_active - drain;
  } else {
    expected.weight_shift = rows * static_cast<Cycle>(plan.folds);
    expected.fill_drain = formula - expected.array_active - expected.weight_shift;
  }
  return expected;
}

}  // namespace

CycleLedger span_excess(const RunReport& report, const Program& program) {
  const CycleLedger before = before_first_push(report.result, program);
  const CycleLedger expected = formula_ledger(report);
  CycleLedger excess = report.result.ledger;
  excess.vector = 0;  // vector and output are classes of the tail behind the array
  excess.output = 0;
  excess.fill_drain -= 1;  // the last accumulator write, a cycle behind the last product
  for (const LedgerClass& entry : kLedgerClasses) {
    excess.*entry.cycles -= before.*entry.cycles + expected.*entry.cycles;
  }
  // Idle cycles may stand behind the array too: within the span is what the others leave.
  excess.idle = 0;
  excess.idle = report.result.array_span - expected.sum() - excess.sum();
  return excess;
}

std::string excess_text(const CycleLedger& excess) {
  std::string text;
  for (const LedgerClass& entry : kLedgerClasses) {
    const Cycle cycles = excess.*entry.cycles;
    if (cycles == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}{} {}", cycles < 0 ? '-' : '+',
                        grouped(static_cast<std::uint64_t>(std::abs(cycles))), entry.name);
  }
  return text;
}

}  // namespace weft::cli
