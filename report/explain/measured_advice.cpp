#include "report/explain/measured_advice.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/advice.h"
#include "runtime/workload/compiled_product.h"
#include "runtime/workload/memory_check.h"

namespace weft::report {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t simulated_total(const TilingPlan& plan, const MachineConfig& config) {
  return static_cast<std::uint64_t>(simulate(config, *matmul_stream(plan, config)).total);
}

Comparison compare(const RunReport& report, const Suggestion& suggestion, const MatmulSpec& spec,
                   std::uint64_t limit) {
  const TilingPlan plan = runtime::scheduled_plan(spec, report.machine);
  Comparison comparison;
  comparison.work = ratio(spec.*suggestion.size, report.product().plan->spec.*suggestion.size);
  comparison.simulated =
      report.run.instructions <= limit && runtime::most_instructions(plan) <= limit;
  comparison.cycles = comparison.simulated
                          ? ratio(simulated_total(plan, report.machine),
                                  static_cast<std::uint64_t>(report.run.total))
                          : ratio(plan.formula_cycles(), report.product().plan->formula_cycles());
  return comparison;
}

/// "the same cycles", "62.5 % of the cycles" or "3.1 times the cycles"; adds if they are the
/// formula's.
std::string cycles_text(const Comparison& comparison) {
  const char* whose = comparison.simulated ? "cycles" : "array's cycles by the formula";
  if (comparison.cycles == 1) return fmt::format("the same {}", whose);
  if (comparison.cycles >= 2) return fmt::format("{:.1f} times the {}", comparison.cycles, whose);
  return fmt::format("{:.1f} % of the {}", 100 * comparison.cycles, whose);
}

/// Describes the first alternative that gains; nullopt if none does.
std::optional<std::string> gain(const RunReport& report, const Suggestion& suggestion,
                                std::uint64_t limit) {
  for (const MatmulSpec& spec : suggestion.alternatives) {
    try {
      const Comparison comparison = compare(report, suggestion, spec, limit);
      if (!comparison.gains()) continue;
      if (suggestion.kind == SuggestionKind::kTransposed) {
        if (!comparison.simulated) continue;  // the formula leaves out the results
        return fmt::format("the transposed product, {} x {} x {}, would take {}", spec.m, spec.k,
                           spec.n, cycles_text(comparison));
      }
      const char* rows = suggestion.kind == SuggestionKind::kBatch ? " rows" : "";
      return comparison_text(spec.*suggestion.size, rows, comparison);
    } catch (const Error&) {
      continue;  // skip an alternative that cannot be planned or run
    }
  }
  return std::nullopt;
}

}  // namespace

std::string comparison_text(std::uint64_t size, std::string_view rows,
                            const Comparison& comparison) {
  if (comparison.work < 1) return fmt::format("{} would take {}", size, cycles_text(comparison));
  return fmt::format("{}{} would do {:.2f} times the work in {}", size, rows, comparison.work,
                     cycles_text(comparison));
}

std::vector<std::string> measured_advice(const RunReport& report, std::uint64_t limit) {
  const TilingPlan& plan = *report.product().plan;
  std::vector<std::string> sentences;
  for (const Suggestion& suggestion : suggestions(plan, report.machine)) {
    const auto text = gain(report, suggestion, limit);
    if (text) {
      sentences.push_back(suggestion.statement + "; " + *text + ".");
    } else if (suggestion.kind == SuggestionKind::kWholeTiles) {
      sentences.push_back(suggestion.statement + ".");
    }
  }
  if (plan.spec.k == plan.padded_k && plan.spec.n == plan.padded_n) {
    sentences.push_back(
        fmt::format("Nothing is padded: K = {} and N = {} are whole tiles of {} x {}.", plan.spec.k,
                    plan.spec.n, report.machine.array_rows, report.machine.array_cols));
  }
  return sentences;
}

}  // namespace weft::report
