#include "report/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/energy_report.h"
#include "report/layer_table.h"
#include "report/machine_text.h"

namespace weft::report {
namespace {

std::string product_line(const RunReport& report) {
  const std::optional<MatmulSpec>& spec = report.product().spec;
  if (!spec) return "program of " + counted(report.run.instructions, "instruction");
  std::string line = fmt::format("{} x {} x {}", spec->m, spec->k, spec->n);
  if (spec->bias) line += " + bias";
  if (spec->activation != Activation::kNone)
    line += fmt::format(", {}", to_string(spec->activation));
  return line;
}

std::string workload_line(const RunReport& report) {
  std::string line = network_line(report);
  if (report.run.useful_macs != report.network().macs) {
    line += fmt::format(", {} on the machine", si(as_real(report.run.useful_macs), "MACs"));
  }
  return line;
}

/// "9 x 4 tiles along K and N, 13 chunks of rows, 36 fetches, 4.6 % padding".
std::string layer_plan_line(const compiler::LayerInfo& info) {
  return fmt::format("{} x {} tiles along K and N, {} of rows, {}, {} padding", info.k_tiles,
                     info.n_tiles, counted(info.chunks, "chunk"),
                     counted(info.fetches, "tile fetch"),
                     percent(1 - as_real(info.macs) / as_real(info.issued_macs)));
}

std::string span_line(const ProductPart& product) {
  std::string line = grouped(static_cast<std::uint64_t>(product.array_span));
  if (product.plan) line += "; formula " + formula_line(*product.plan);
  return line;
}

std::string work_line(const RunReport& report) {
  const std::size_t on_host = host_layers(report);
  std::string line = fmt::format("{} in {}, {}", counted(report.run.instructions, "instruction"),
                                 counted(report.run.programs, "program"),
                                 counted(report.run.layers.size(), "layer"));
  if (on_host > 0) {
    line +=
        fmt::format("; {} on the host, {}", grouped(on_host),
                    report.network().host_time ? "whose transfers are simulated"
                                               : "whose time is not simulated, only its transfers");
  }
  return line;
}

std::string speed_line(const RunReport& report) {
  const double peak = 2 * as_real(report.machine.array_rows) * as_real(report.machine.array_cols) *
                      as_real(report.machine.clock_hz);
  const auto speed = tops(report);
  if (!speed) {
    return fmt::format(
        "not known: the program does not say how many of its MACs are useful; peak {}",
        si(peak, "OP/s"));
  }
  return fmt::format("{} of {} peak, {} of the array used", si(*speed * 1e12, "OP/s"),
                     si(peak, "OP/s"), percent(*utilization(report)));
}

std::string throughput_line(const RunReport& report) {
  const std::optional<double> host = host_seconds(report);
  const double rate =
      static_cast<double>(report.network().batch) / (simulated_seconds(report) + host.value_or(0));
  std::string line =
      fmt::format("{} at batch {}", si(rate, "inferences/s"), report.network().batch);
  if (!host) return "at most " + line + ", because the time of host layers is not simulated";
  if (host_layers(report) == 0) return line;
  return line + fmt::format(
                    ", with {} for the host layers, {}", si(*host, "s"),
                    report.network().host_time->seconds ? "as given" : "measured on this computer");
}

/// Tokens a second, beside those that the memory's rate allows.
std::string token_line(const RunReport& report) {
  const runtime::TokenWork& work = *report.network().tokens;
  const auto rate = [&](double seconds) {
    return runtime::token_rate(as_real(work.tokens) / seconds);
  };
  std::string line = fmt::format(
      "{}{} {}", host_layers(report) > 0 ? "at most " : "", rate(simulated_seconds(report)),
      report.network().kv_cache
          ? fmt::format("decoded after {} cached",
                        grouped(static_cast<std::uint64_t>(*report.network().kv_cache)))
          : fmt::format("in prompts of {}",
                        grouped(work.tokens / static_cast<std::uint64_t>(report.network().batch))));
  const auto bound = work.memory_seconds(report.machine);
  if (!bound) return line;
  line += fmt::format("; the memory allows {}: weights {}", rate(*bound),
                      si(work.weight_bytes(report.machine), "B"));
  if (work.cached == 0) return line;
  return line + fmt::format(", cache {}", si(work.cache_bytes(report.machine), "B"));
}

std::string traffic_line(const Traffic& traffic) {
  return fmt::format("weights {}, input {}, output {}", si(as_real(traffic.weight_bytes), "B"),
                     si(as_real(traffic.input_bytes), "B"), si(as_real(traffic.output_bytes), "B"));
}

std::string simulator_line(Engine engine, double wall_seconds, Cycle cycles) {
  std::string line = fmt::format("{} engine, {}", to_string(engine), si(wall_seconds, "s"));
  if (wall_seconds > 0 && cycles > 0)
    line += ", " + si(static_cast<double>(cycles) / wall_seconds, "cycles/s");
  return line;
}

std::string lockstep_line(std::uint64_t cycles, const Style& style) {
  return style.good(
      fmt::format("rtl equal to stepped in {}, every PE register and every accumulator write",
                  counted(cycles, "cycle")));
}

std::string check_line(const runtime::CheckReport& check, Engine engine, const Style& style) {
  if (!check.ran()) {
    return style.dim(engine == Engine::kAnalytic
                         ? "none"
                         : "none, because the program does not say what it computes");
  }
  if (check.mismatch) {
    const runtime::Mismatch& at = *check.mismatch;
    return style.bad(fmt::format("MISMATCH with {} at [{}][{}]: expected {}, got {}",
                                 check.reference, at.row, at.col, at.expected, at.actual));
  }
  std::string line = fmt::format("equal to {}", check.reference);
  line += check.bit_exact
              ? ", bit for bit"
              : fmt::format(" within rounding, largest error {:.2g}, where {:.2g} is allowed",
                            check.max_abs_error, check.bound);
  if (check.nans > 0) {
    line += fmt::format(", NaN in {} of {} elements", grouped(check.nans), grouped(check.elements));
  }
  return style.good(line);
}

/// Names the layer with the largest error and the one whose error is the largest part of its bound.
std::string layers_check_line(const RunReport& report, const Style& style) {
  if (!report.network().check) return style.dim("none");
  const runtime::NetworkCheck& check = *report.network().check;
  if (check.mismatch) return style.bad("MISMATCH: " + *check.mismatch);
  if (check.layers.empty()) {
    return style.dim(report.run.programs == 0 ? "nothing to compare: cpu computed everything"
                                              : "no layer left a result to compare");
  }
  const std::string layers = counted(check.layers.size(), "layer");
  if (check.bit_exact) return style.good(layers + " equal to cpu, bit for bit");
  const runtime::LayerCheck& wrong =
      *std::ranges::max_element(check.layers, {}, &runtime::LayerCheck::max_abs_error);
  const runtime::LayerCheck& close =
      *std::ranges::max_element(check.layers, {}, &runtime::LayerCheck::share);
  return style.good(
      fmt::format("{} equal to cpu within rounding, largest error {:.2g} in {}; {} is closest to "
                  "its bound, at {}",
                  layers, wrong.max_abs_error, printable(wrong.layer), printable(close.layer),
                  percent(close.share)));
}

/// The cycles, and the lines that depend on them.
std::string cycles_text(const RunReport& report, const Style& style) {
  const runtime::NetworkRun& run = report.run;
  std::string text = labeled_line("cycles", cycles_line(run.total, report.machine), style);
  text += ledger_text(run.ledger);
  if (run.total > 0) text += labeled_line("crit. path", critical_path_text(run.path), style);
  if (run.bound && run.bound->cycles > 0) {
    text += labeled_line("bound", bound_line(*run.bound, run.total), style);
  }
  if (const ProductPart* product = std::get_if<ProductPart>(&report.part)) {
    text += labeled_line("array span", span_line(*product), style);
    text += labeled_line("speed", speed_line(report), style);
  } else {
    text += labeled_line("work", work_line(report), style);
    if (run.total > 0) {
      text += labeled_line("speed", speed_line(report), style);
      text += labeled_line("throughput", throughput_line(report), style);
      if (report.network().tokens) text += labeled_line("tokens", token_line(report), style);
    }
  }
  return text + labeled_line("traffic", traffic_line(run.traffic), style);
}

/// Replaces cycles_text() if no program ran.
std::string nothing_ran_line(const runtime::NetworkRun& run) {
  if (run.layers.empty())
    return "none: nothing is left to compute; outputs are inputs or constants";
  return fmt::format(
      "none: nothing ran on the machine; the host computed {}, in time that is not simulated",
      run.layers.size() == 1 ? "the layer" : counted(run.layers.size(), "layer"));
}

/// What ran, and how it is tiled.
std::string work_text(const RunReport& report, const Style& style) {
  if (const ProductPart* product = std::get_if<ProductPart>(&report.part)) {
    const std::string text = labeled_line(report.command, product_line(report), style);
    return product->plan ? text + labeled_line("plan", plan_line(*product->plan), style) : text;
  }
  std::string text = labeled_line("network", workload_line(report), style) + '\n' +
                     layer_table(report, style) + '\n';
  const std::vector<runtime::LayerRun>& layers = report.run.layers;
  if (layers.size() == 1 && layers.front().info.issued_macs > 0) {
    text += labeled_line("plan", layer_plan_line(layers.front().info), style);
  }
  return text;
}

}  // namespace

std::string bound_line(const compiler::Bound& bound, Cycle cycles) {
  return fmt::format("{:.2f} times the bound of {}; bound by {}", bound.ratio(cycles),
                     counted(static_cast<std::uint64_t>(bound.cycles), "cycle"),
                     to_string(bound.by));
}

std::string plan_line(const TilingPlan& plan) {
  std::string line =
      fmt::format("{} x {} tiles, {}, {} of {}, {} padding", plan.k_tiles, plan.n_tiles,
                  counted(plan.folds, "fold"), counted(plan.m_chunks, "chunk"),
                  counted(plan.chunk_rows, "row"), percent(plan.padding_waste()));
  for (const std::string& note : transfer_notes(plan)) line += "; " + note;
  return line;
}

std::string formula_line(const TilingPlan& plan) {
  return fmt::format("{} = load {} + steps {} + last fold {}", grouped(plan.formula_cycles()),
                     grouped(plan.formula.weight_load), grouped(plan.formula.steps),
                     grouped(plan.formula.last_fold));
}

std::string network_line(const RunReport& report) {
  const NetworkPart& part = report.network();
  return fmt::format("{}, batch {}, {}, {}", part.name, part.batch,
                     counted(part.parameters, "parameter"), si(as_real(part.macs), "MACs"));
}

std::string report_text(const RunReport& report, const Style& style) {
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  const runtime::NetworkRun& run = report.run;
  std::string text =
      machine_text(report.machine, report.machine_file, style) + work_text(report, style);
  const auto add = [&](std::string_view label, const std::string& value) {
    text += labeled_line(label, value, style);
  };
  if (run.programs > 0) {
    text += cycles_text(report, style);
  } else {
    add("cycles", nothing_ran_line(run));
  }
  for (const std::string& note : report.notes) add("note", note);
  if (product == nullptr) {
    for (const OutputSummary& output : report.network().outputs) add("output", output_line(output));
  }
  add("check", product != nullptr ? check_line(product->check, report.engine, style)
                                  : layers_check_line(report, style));
  if (run.compared_cycles > 0) add("lock-step", lockstep_line(run.compared_cycles, style));
  add("simulator", simulator_line(report.engine, report.wall_seconds, run.total));
  text += cost_text(report, style);
  if (report.sensitivity) text += sensitivity_text(*report.sensitivity, style);
  return text;
}

std::string reference_text(const RunReport& report, const Style& style) {
  std::string text = labeled_line("network", network_line(report), style);
  for (const std::string& note : report.notes) text += labeled_line("note", note, style);
  for (const OutputSummary& output : report.network().outputs) {
    text += labeled_line("output", output_line(output), style);
  }
  return text + labeled_line("reference", si(report.wall_seconds, "s"), style);
}

}  // namespace weft::report
