// What `weft explain M K N` reports about a product: the run on the analytic engine, its account
// fold by fold, advice, and a sweep if one was asked for. The command prints it; a page draws it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/bound/bound.h"
#include "report/report.h"
#include "report/streams.h"
#include "runtime/analysis/fold_account.h"
#include "runtime/analysis/sweep.h"

namespace weft::report {

struct ProductExplanation {
  RunReport report;
  runtime::ContractionShape shape;
  std::string excess;  // by what the array span exceeds the formula; empty if it does not
  runtime::Account account;
  std::vector<std::string> advice;
  std::optional<runtime::Sweep> sweep;
};

/// A product has one tap with K channels.
runtime::ContractionShape product_shape(const MatmulSpec& spec);

/// Everything except the sweep. Throws InputError, ConfigError.
ProductExplanation explain_product(const MatmulSpec& spec, const MachineConfig& config,
                                   std::uint64_t steps);

/// The report with `plan.chunk_rows`, `plan.formula_terms`, `account`, `advice` and `sweep`.
nlohmann::ordered_json product_json(const ProductExplanation& explanation);

/// Prints only the sweep if there is one.
void print_product(const ProductExplanation& explanation, const Streams& streams);

/// The formula's terms and their sum, then the simulated cycles.
std::string cycle_table(const FormulaTerms& formula, Cycle array_span, Cycle total,
                        const std::optional<compiler::Bound>& bound);
/// The sentence below that table, such as "critical path: array 99.5 %, drain 0.5 %".
std::string critical_path_line(const RunReport& report);

nlohmann::ordered_json formula_json(const FormulaTerms& formula);

/// The heading of an account and what its lines mean, then the account.
std::string account_section(const runtime::Account& account, const runtime::ContractionShape& shape,
                            const MachineConfig& config, const Style& style);

/// What the run costs, below an empty line; empty if nobody asked.
std::string cost_section(const RunReport& report, const Style& style);

/// A heading and the sentences, broken into lines that fit the page.
std::string advice_section(const std::vector<std::string>& advice, const Style& style);

}  // namespace weft::report
