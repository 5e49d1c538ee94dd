#include "runtime/analysis/span_excess.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/figures.h"

namespace weft::runtime {
namespace {

CycleLedger formula_ledger(const MachineConfig& config, Cycle formula, Cycle folds, Cycle active) {
  const Cycle rows = config.array_rows;
  const Cycle drain = rows + config.array_cols - 2;
  CycleLedger expected;
  expected.array_active = active;
  if (config.double_buffer) {
    expected.fill_drain = drain;
    expected.weight_shift = formula - active - drain;
  } else {
    expected.weight_shift = rows * folds;
    expected.fill_drain = formula - active - expected.weight_shift;
  }
  return expected;
}

}  // namespace

CycleLedger span_excess(const MachineConfig& config, const CycleLedger& span_ledger,
                        std::uint64_t formula_cycles, std::uint64_t folds) {
  CycleLedger excess = span_ledger;
  const CycleLedger expected = formula_ledger(config, static_cast<Cycle>(formula_cycles),
                                              static_cast<Cycle>(folds), span_ledger.array_active);
  for (const LedgerClass& entry : kLedgerClasses) excess.*entry.cycles -= expected.*entry.cycles;
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

std::string excess_sentence(Cycle array_span, std::uint64_t formula_cycles,
                            const CycleLedger& excess) {
  const auto span = static_cast<std::uint64_t>(array_span);
  if (span <= formula_cycles) return "";
  return fmt::format("array span {} is {} more than the formula: {}", grouped(span),
                     grouped(span - formula_cycles), excess_text(excess));
}

}  // namespace weft::runtime
