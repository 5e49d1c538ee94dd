// What `weft explain M K N` finds out about a product: the run on the analytic engine, its account
// fold by fold, advice, and a sweep if there is one. The command prints it; a page may draw it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/explain/fold_account.h"
#include "cli/explain/sweep.h"
#include "cli/report.h"
#include "cli/streams.h"

namespace weft::cli {

struct ProductExplanation {
  RunReport report;
  ContractionShape shape;
  std::string excess;  // what the array span has more than the formula; empty if they are equal
  Account account;
  std::vector<std::string> advice;
  std::optional<Sweep> sweep;
};

/// One tap with K channels.
ContractionShape product_shape(const MatmulSpec& spec);

/// Everything but the sweep. Throws InputError, ConfigError.
ProductExplanation explain_product(const MatmulSpec& spec, const MachineConfig& config,
                                   std::uint64_t steps);

/// The report with `plan.chunk_rows`, `plan.formula_terms`, `account`, `advice` and `sweep`.
nlohmann::ordered_json product_json(const ProductExplanation& explanation);

/// The sweep alone if there is one.
void print_product(const ProductExplanation& explanation, const Streams& streams);

/// Load, steps and last fold, their sum, and beside them the simulated cycles.
std::string cycle_table(const FormulaTerms& formula, const Result& result);

nlohmann::ordered_json formula_json(const FormulaTerms& formula);

/// The heading of an account and what its columns mean.
std::string account_section(const Account& account, const ContractionShape& shape,
                            const MachineConfig& config, const Style& style);

/// "the last 3 of 5 are ..." in lines that fit the page, below a heading.
std::string advice_section(const std::vector<std::string>& advice, const Style& style);

}  // namespace weft::cli
