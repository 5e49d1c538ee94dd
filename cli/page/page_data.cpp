#include "cli/page/page_data.h"

#include <algorithm>

#include "cli/span_excess.h"

namespace weft::cli {
namespace {

/// 0, step, 2 step, ..., then `size`.
Json edges(std::uint64_t size, std::uint64_t step) {
  Json list = Json::array();
  for (std::uint64_t at = 0; at < size; at += step) list.push_back(at);
  list.push_back(size);
  return list;
}

Json term(const char* name, std::uint64_t cycles, const char* meaning) {
  return {{"name", name}, {"cycles", cycles}, {"meaning", meaning}};
}

}  // namespace

bool draws_tiles(const TilingPlan& plan) {
  return plan.m_chunks <= kDrawnTiles && plan.k_tiles <= kDrawnTiles &&
         plan.n_tiles <= kDrawnTiles && plan.m_chunks + plan.k_tiles + plan.n_tiles <= kDrawnTiles;
}

Json tile_map_json(const std::string& name, const TilingPlan& plan, const MachineConfig& machine,
                   const std::vector<std::string>& operands) {
  const MatmulSpec& spec = plan.spec;
  return {{"name", name},
          {"m", spec.m},
          {"k", spec.k},
          {"n", spec.n},
          {"tile_k", machine.array_rows},
          {"tile_n", machine.array_cols},
          {"m_edges", edges(spec.m, plan.chunk_rows)},
          {"k_edges", edges(spec.k, machine.array_rows)},
          {"n_edges", edges(spec.n, machine.array_cols)},
          {"waste", plan.padding_waste()},
          {"operands", operands}};
}

Json formula_page_json(const FormulaTerms& formula, Cycle span, const CycleLedger& excess) {
  return {{"terms",
           {term("load", formula.weight_load, "R: the first tile's pushes"),
            term("steps", formula.steps, "from the first fold's first row to the last fold's"),
            term("last fold", formula.last_fold, "its rows, and R+C-2 to drain")}},
          {"cycles", formula.cycles()},
          {"span", span},
          {"excess", excess_text(excess)}};
}

}  // namespace weft::cli
