#include "cli/page/run_page.h"

#include <fmt/format.h>

#include <utility>

#include "cli/span_excess.h"
#include "sim/config/config_keys.h"
#include "sim/simulate.h"

namespace weft::cli {
namespace {

std::string size_text(const MatmulSpec& spec) {
  return fmt::format("{} x {} x {}", spec.m, spec.k, spec.n);
}

std::uint64_t spec_macs(const MatmulSpec& spec) {
  return spec.m * spec.k * spec.n;
}

/// "matmul 64 x 64 x 64 on tiny".
std::string title(const Job& job, const RunReport& report) {
  std::string text = job.command;
  if (report.workload) text += fmt::format(" {}", size_text(*report.workload));
  return text + fmt::format(" on {}", machine_title(job.machine));
}

PageRun page_run(const Job& job, const RunToDraw& drawn) {
  PageProgram part{drawn.program, drawn.timeline, 0, drawn.total};
  if (job.plan && draws_tiles(*job.plan)) part.tiles = instruction_tiles(*job.plan, drawn.program);
  return {job.machine, {std::move(part)}, drawn.total};
}

RooflinePoint roofline_point(const RunReport& report) {
  const std::string name = report.workload ? size_text(*report.workload) : "program";
  const std::uint64_t macs =
      report.workload ? spec_macs(*report.workload) : report.result.issued_macs;
  return {name, macs, report.result.traffic, report.result.total};
}

}  // namespace

ArrayRecording recording_for_page(const Job& job, const Result& result, HostMemory& memory) {
  return record_array(job.machine, job.program, memory,
                      animated_cycles(job.machine, job.program, result));
}

Json run_page_data(const Job& job, const RunReport& report, const RunToDraw& drawn,
                   const std::optional<ArrayRecording>& recording) {
  Json notes = Json::array();
  Json data = {{"title", title(job, report)},
               {"command", job.command_line},
               {"report", report_json(report)},
               {"tiles", Json::array()}};
  if (job.plan) {
    if (draws_tiles(*job.plan)) {
      data["tiles"].push_back(
          tile_map_json(size_text(job.plan->spec), *job.plan, job.machine, {"A", "B", "C"}));
    } else {
      notes.push_back(fmt::format(
          "There is no tile map: with {} along M, {} tiles along K and {} along N it would have "
          "more than {} edges.",
          counted(job.plan->m_chunks, "chunk"), grouped(job.plan->k_tiles),
          grouped(job.plan->n_tiles), grouped(kDrawnTiles)));
    }
    data["formula"] =
        formula_page_json(job.plan->formula, report.result.array_span, span_excess(report));
  }
  if (!job.plan) {
    notes.push_back(
        "There is no tile map and no closed form: the program does not say what it computes.");
  }
  if (!drawn.note.empty()) notes.push_back(drawn.note);
  data["timeline"] = timeline_json(page_run(job, drawn), notes);
  if (recording) {
    data["array"] = array_json(*recording, report.result.total, notes);
  } else {
    notes.push_back(job.options.with_values()
                        ? "The array is not animated: the matrices are too large to draw."
                        : "The array is not animated: the analytic engine has no values.");
  }
  data["roofline"] = roofline_json(job.machine, {{roofline_point(report)}});
  data["notes"] = std::move(notes);
  return data;
}

}  // namespace weft::cli
