#include "cli/run_output.h"

#include <fmt/format.h>

#include <utility>

#include "report/csv/layer_csv.h"
#include "report/page/page.h"
#include "report/page/page_data.h"
#include "report/page/run_page.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/trace/run_trace.h"
#include "report/trace/waveform.h"
#include "sim/config/config_keys.h"

namespace weft::cli {

void RunOutput::open_waveform(const MachineConfig& machine, const Program& program) {
  report::open_waveform(*files_.vcd, files_.vcd_cycles, machine, program, vcd_);
}

runtime::RunObservers RunOutput::observers(const MachineConfig& machine,
                                           report::Progress& progress) {
  runtime::RunObservers observers;
  observers.progress = [&progress](double share) { progress.update(share); };
  observers.vcd = vcd_ ? &*vcd_ : nullptr;
  observers.vcd_cycles = files_.vcd_cycles;
  observers.keep_timelines = needs_program();
  if (files_.html) {
    observers.record = [&machine](const Program& program, const Result& result) {
      return report::animated_cycles(machine, program, result.timeline);
    };
  }
  return observers;
}

void RunOutput::write(const report::RunReport& report, const compiler::NetworkProgram& program,
                      const std::string& command_line) {
  if (files_.trace) {
    trace_.emplace(*files_.trace);
    report::write_trace(*trace_, report, program);
  }
  if (files_.html) {
    html_.emplace(*files_.html);
    html_->write(report::page_html(report::run_page_data(report, program, command_line)));
  }
}

int RunOutput::finish(const report::RunReport& report, std::vector<runtime::FileContent> others) {
  const Summary summary{report::report_json(report), files_.csv ? report::layers_csv(report) : "",
                        report::report_text(report, streams_.style)};
  write_summary_files(files_, summary, report.machine, std::move(others));
  if (vcd_) vcd_->commit();
  if (trace_) trace_->commit();
  if (html_) html_->commit();
  print_summary(files_, summary, streams_);
  const auto mismatch = report::mismatch(report);
  if (!mismatch) return 0;
  streams_.err << fmt::format("weft: {}\n", *mismatch);
  return 1;
}

void write_summary_files(const OutputFiles& files, const Summary& summary,
                         const MachineConfig& machine, std::vector<runtime::FileContent> others) {
  if (files.json && !files.json_to_stdout()) {
    others.push_back({*files.json, report::json_file_text(summary.json)});
  }
  if (files.machine) others.push_back({*files.machine, to_ini(machine)});
  if (files.csv && !files.csv_to_stdout()) others.push_back({*files.csv, summary.csv});
  runtime::write_files_together(others);
}

void print_summary(const OutputFiles& files, const Summary& summary,
                   const report::Streams& streams) {
  if (files.json_to_stdout()) {
    streams.out << report::json_file_text(summary.json);
  } else if (files.csv_to_stdout()) {
    streams.out << summary.csv;
  } else if (!files.quiet) {
    streams.out << summary.text;
  }
}

}  // namespace weft::cli
