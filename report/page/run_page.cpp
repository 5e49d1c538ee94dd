#include "report/page/run_page.h"

#include <fmt/format.h>

#include <utility>

#include "report/span_excess.h"
#include "sim/config/config_keys.h"
#include "sim/simulate.h"

namespace weft::report {
namespace {

std::string size_text(const MatmulSpec& spec) {
  return fmt::format("{} x {} x {}", spec.m, spec.k, spec.n);
}

std::uint64_t spec_macs(const MatmulSpec& spec) {
  return spec.m * spec.k * spec.n;
}

/// "matmul 64 x 64 x 64 on tiny".
std::string title(const RunReport& report) {
  std::string text = report.command;
  if (report.workload) text += fmt::format(" {}", size_text(*report.workload));
  return text + fmt::format(" on {}", machine_title(report.machine));
}

PageRun page_run(const RunReport& report, const Program& program) {
  PageProgram part{program, report.result.timeline, 0, report.result.total};
  if (report.plan) part.tiles = instruction_tiles(*report.plan, program);
  return {report.machine, {std::move(part)}, report.result.total};
}

RooflinePoint roofline_point(const RunReport& report) {
  const std::string name = report.workload ? size_text(*report.workload) : "program";
  const std::uint64_t macs =
      report.workload ? spec_macs(*report.workload) : report.result.issued_macs;
  return {name, macs, report.result.traffic, report.result.total};
}

}  // namespace

Json run_page_data(const RunReport& report, const Program& program, const std::string& command_line,
                   bool with_values, const std::optional<ArrayRecording>& recording) {
  Json notes = Json::array();
  Json data = {{"title", title(report)},
               {"command", command_line},
               {"report", report_json(report)},
               {"tiles", Json::array()}};
  if (report.plan) {
    data["tiles"].push_back(
        tile_map_json(size_text(report.plan->spec), *report.plan, report.machine, {"A", "B", "C"}));
    data["formula"] = formula_page_json(report.plan->formula, report.result.array_span,
                                        span_excess(report, program));
  }
  if (!report.plan) {
    notes.push_back(
        "There is no tile map and no closed form: the program does not say what it computes.");
  }
  data["timeline"] = timeline_json(page_run(report, program), notes);
  if (recording) {
    data["array"] = array_json(*recording, report.result.total, notes);
  } else {
    notes.push_back(with_values ? "The array is not animated: the matrices are too large to draw."
                                : "The array is not animated: the analytic engine has no values.");
  }
  data["roofline"] = roofline_json(report.machine, {{roofline_point(report)}});
  data["notes"] = std::move(notes);
  return data;
}

}  // namespace weft::report
