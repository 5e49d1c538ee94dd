#include "cli/commands/compare/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "report/compare/compare_report.h"
#include "report/explain/report_file.h"
#include "report/page/compare_page.h"
#include "report/page/page.h"
#include "runtime/compare/imported/imports.h"
#include "runtime/workload/network_outputs.h"

namespace weft::cli {
namespace {

/// Rejects options that say what to run, since nothing runs here.
void check_row_options(const Arguments& arguments) {
  constexpr const char* kUsed[] = {"(positional)", "csv", "json", "html", "quiet", "help"};
  for (const auto& [name, value] : arguments.values) {
    if (std::ranges::find(kUsed, name) != std::end(kUsed)) continue;
    throw InputError(
        fmt::format("--{}: has no effect on rows of other comparisons; drop it", name));
  }
}

bool is_compare_report(const std::string& file) {
  try {
    return report::read_report_file(file).at("command") == "compare";
  } catch (const InputError&) {
    return false;  // whoever reads it as a result says why
  }
}

/// Throws InputError if a file is named twice.
void check_rows_apart(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_file(files[i], files[j])) continue;
      throw InputError(fmt::format("{}: is named twice; drop one", printable(files[i])));
    }
  }
}

}  // namespace

bool names_rows(const Arguments& arguments) {
  const auto is_csv = [](const std::string& name) { return name.ends_with(".csv"); };
  const auto is_report = [](const std::string& name) {
    return name.ends_with(".json") && is_compare_report(name);
  };
  return std::ranges::any_of(arguments.positionals, is_csv) ||
         (!arguments.positionals.empty() && std::ranges::all_of(arguments.positionals, is_report));
}

int run_compare_rows(const Arguments& arguments, const report::Streams& streams) {
  check_row_options(arguments);
  const ReportTargets targets = report_targets(arguments);
  check_rows_apart(arguments.positionals);
  return write_rows(arguments, targets, runtime::compare_tables(arguments.positionals), streams);
}

int write_rows(const Arguments& arguments, const ReportTargets& targets,
               const runtime::CompareReport& report, const report::Streams& streams) {
  std::vector<runtime::FileContent> files;
  const auto add = [&files](const std::optional<std::string>& target, auto make) {
    if (target && *target != "-") files.push_back({*target, make()});
  };
  const std::string command = command_line("compare", arguments.words);
  add(targets.csv, [&] { return report::compare_csv(report); });
  add(targets.json, [&] { return report::json_file_text(report::compare_json(report)); });
  add(targets.html, [&] { return report::page_html(report::compare_page_data(report, command)); });
  runtime::write_files_together(files);
  if (targets.json == "-") {
    streams.out << report::json_file_text(report::compare_json(report));
  } else if (targets.csv == "-") {
    streams.out << report::compare_csv(report);
  } else if (!arguments.has("quiet")) {
    streams.out << report::compare_text(report, streams.style);
  }
  return 0;
}

}  // namespace weft::cli
