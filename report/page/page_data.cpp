#include "report/page/page_data.h"

#include "runtime/analysis/span_excess.h"

namespace weft::report {
namespace {

Json term(const char* name, std::uint64_t cycles, const char* meaning) {
  return {{"name", name}, {"cycles", cycles}, {"meaning", meaning}};
}

}  // namespace

Json formula_page_json(const FormulaTerms& formula, Cycle span, const CycleLedger& excess) {
  return {{"terms",
           {term("load", formula.weight_load, "R: the first tile's pushes"),
            term("steps", formula.steps, "from the first fold's first row to the last fold's"),
            term("last fold", formula.last_fold, "its rows, and R+C-2 to drain")}},
          {"cycles", formula.cycles()},
          {"span", span},
          {"excess", runtime::excess_text(excess)}};
}

}  // namespace weft::report
