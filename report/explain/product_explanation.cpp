#include "report/explain/product_explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/stopwatch.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/schedule/network_bound.h"
#include "report/energy_report.h"
#include "report/explain/account_text.h"
#include "report/explain/measured_advice.h"
#include "report/explain/sweep_report.h"
#include "report/explain/tile_drawing.h"
#include "report/json.h"
#include "report/machine_text.h"
#include "report/report_json.h"
#include "report/wrapped_text.h"
#include "runtime/analysis/span_excess.h"
#include "runtime/workload/compiled_product.h"

namespace weft::report {
namespace {

std::string tiles(std::uint64_t length, std::uint64_t tile) {
  return fmt::format("{} x {}", grouped((length + tile - 1) / tile), grouped(tile));
}

/// One row for each dimension.
std::string dimension_table(const TilingPlan& plan, const MachineConfig& config) {
  const MatmulSpec& spec = plan.spec;
  Table table("lrrrr");
  table.add({"", "size", "cut into", "padded", "waste"});
  const auto add = [&](const char* name, std::uint64_t size, std::uint64_t tile,
                       std::uint64_t padded) {
    table.add({name, grouped(size), tiles(size, tile), grouped(padded),
               percent(1 - static_cast<double>(size) / static_cast<double>(padded))});
  };
  add("M", spec.m, std::min<std::uint64_t>(plan.chunk_rows, spec.m), plan.padded_m);
  add("K", spec.k, config.array_rows, plan.padded_k);
  add("N", spec.n, config.array_cols, plan.padded_n);
  return table.text(2);
}

std::string plan_table(const TilingPlan& plan) {
  Table table("lr");
  const auto add = [&](const char* name, std::uint64_t value) {
    table.add({name, grouped(value)});
  };
  add("folds (tiles swapped in)", plan.folds);
  add("useful MACs", plan.macs.useful);
  add("issued MACs", plan.macs.issued);
  add("  of them padding along K", plan.macs.padded_k);
  add("  of them padding along N", plan.macs.padded_n);
  add("accumulator regions", plan.accumulator_regions);
  add("activation slots in the unified buffer", plan.activation_slots);
  add("bias slots", plan.bias_slots);
  add("output slots", plan.output_slots);
  if (plan.tile_slots > 0) {
    add("slots for tiles of weights", plan.tile_slots);
    add("tiles that come through them", TileWalk(plan).tiles());
  }
  if (plan.stores_by_row) add("results that leave one by one", plan.spec.m);
  return table.text(2);
}

std::string order_line(const TilingPlan& plan) {
  return plan.order == LoopOrder::kChunkOutermost
             ? "for each chunk, each n tile, each k tile: tiles are fetched anew for each chunk"
             : "for each n tile, each chunk: a tile is fetched once and kept";
}

}  // namespace

runtime::ContractionShape product_shape(const MatmulSpec& spec) {
  runtime::ContractionShape shape;
  shape.channels = spec.k;
  shape.n = spec.n;
  return shape;
}

ProductExplanation explain_product(const MatmulSpec& spec, const MachineConfig& config,
                                   std::uint64_t steps) {
  const TilingPlan plan = runtime::scheduled_plan(spec, config);
  ProductExplanation explanation;
  explanation.shape = product_shape(spec);
  runtime::AccountObserver observer(
      explanation.shape, config, steps,
      [tiles = plan.k_tiles * plan.n_tiles](std::uint64_t fetch) { return fetch % tiles; });
  const Stopwatch watch;
  Result result = simulate(config, *matmul_stream(plan, config), &observer);
  const double seconds = watch.seconds();
  explanation.excess = runtime::excess_sentence(
      result.array_span, plan.formula_cycles(),
      runtime::span_excess(config, result.span_ledger, plan.formula_cycles(), plan.folds));
  explanation.account = observer.account(result);
  RunReport& report = explanation.report;
  report = describe_product("explain", matmul_header(plan, config), plan, std::move(result));
  report.engine = Engine::kAnalytic;
  report.machine = config;
  report.run.bound = compiler::lower_bound(spec, config);
  report.wall_seconds = seconds;
  explanation.advice = measured_advice(report);
  return explanation;
}

Json formula_json(const FormulaTerms& formula) {
  return {{"weight_load", formula.weight_load},
          {"steps", formula.steps},
          {"last_fold", formula.last_fold}};
}

Json product_json(const ProductExplanation& explanation) {
  const RunReport& report = explanation.report;
  Json json = report_json(report);
  json["plan"]["chunk_rows"] = report.product().plan->chunk_rows;
  json["plan"]["formula_terms"] = formula_json(report.product().plan->formula);
  json["account"] = account_json(explanation.account, explanation.shape);
  json["advice"] = fmt::format("{}", fmt::join(explanation.advice, " "));
  if (explanation.sweep) json["sweep"] = sweep_json(*explanation.sweep);
  return json;
}

std::string cycle_table(const FormulaTerms& formula, Cycle array_span, Cycle total,
                        const std::optional<compiler::Bound>& bound) {
  Table table("lrl");
  const auto add = [&](const char* name, std::uint64_t value, const char* meaning) {
    table.add({name, grouped(value), meaning});
  };
  add("load", formula.weight_load, "R: the first tile's pushes");
  add("steps", formula.steps, "from the first fold's first row to the last fold's");
  add("last fold", formula.last_fold, "its rows, and R+C-2 to drain");
  add("formula", formula.cycles(), "the sum: no stalls");
  add("array span", static_cast<std::uint64_t>(array_span),
      "simulated, first push to last product");
  add("total", static_cast<std::uint64_t>(total), "simulated, with loads, vector unit and stores");
  if (bound && bound->cycles > 0) {
    const std::string meaning =
        fmt::format("no schedule takes fewer; by the {}", to_string(bound->by));
    add("bound", static_cast<std::uint64_t>(bound->cycles), meaning.c_str());
  }
  return table.text(2);
}

std::string critical_path_line(const RunReport& report) {
  return wrapped(fmt::format("critical path: {}", critical_path_text(report.run.path)));
}

std::string account_section(const runtime::Account& account, const runtime::ContractionShape& shape,
                            const MachineConfig& config, const Style& style) {
  return style.bold("step by step") + '\n' +
         wrapped(
             "A fold is one tile of weights and the rows that stream through it. Below it stand "
             "the cycles in which its weights are pushed, its rows enter, and its last sum "
             "reaches the accumulators. While it waits, no row enters.") +
         account_text(account, shape, config);
}

std::string advice_section(const std::vector<std::string>& advice, const Style& style) {
  std::string text = style.bold("advice") + '\n';
  for (const std::string& sentence : advice) text += wrapped(sentence);
  return text;
}

std::string cost_section(const RunReport& report, const Style& style) {
  const std::string text = cost_text(report, style);
  return text.empty() ? text : '\n' + text;
}

void print_product(const ProductExplanation& explanation, const Streams& streams) {
  const RunReport& report = explanation.report;
  const TilingPlan& plan = *report.product().plan;
  const Style& style = streams.style;
  streams.out << machine_heading(report.machine, report.machine_file, style) << '\n';
  if (explanation.sweep) {
    streams.out << sweep_text(*explanation.sweep);
    return;
  }
  streams.out << dimension_table(plan, report.machine) << '\n'
              << draw_tiles(plan, report.machine) << '\n'
              << plan_table(plan) << wrapped(order_line(plan)) << '\n'
              << style.bold("cycles") << '\n'
              << cycle_table(plan.formula, report.product().array_span, report.run.total,
                             report.run.bound)
              << (explanation.excess.empty() ? "" : wrapped(explanation.excess))
              << critical_path_line(report) << '\n'
              << account_section(explanation.account, explanation.shape, report.machine, style)
              << '\n'
              << advice_section(explanation.advice, style) << cost_section(report, style);
}

}  // namespace weft::report
