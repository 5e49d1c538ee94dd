#include "cli/commands/compare/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/report_targets.h"
#include "report/page/page.h"
#include "report/page/results_page.h"
#include "runtime/compare/imported/imports.h"

namespace weft::cli {
namespace {

/// Rejects options that say what to run, since nothing runs here.
void check_no_run_options(const Arguments& arguments) {
  constexpr const char* kUsed[] = {"(positional)", "json", "html", "quiet", "help"};
  for (const auto& [name, value] : arguments.values) {
    if (std::ranges::find(kUsed, name) != std::end(kUsed)) continue;
    throw InputError(fmt::format("--{}: has no effect on two results; drop it", name));
  }
}

/// Rejects a workload beside a result: "weft compare lenet5 a.json".
void check_all_results(const Arguments& arguments) {
  const auto is_result = [](const std::string& name) { return name.ends_with(".json"); };
  const auto result = std::ranges::find_if(arguments.positionals, is_result);
  for (const std::string& name : arguments.positionals) {
    std::error_code error;
    const bool is_file = !name.ends_with(".onnx") && std::filesystem::exists(name, error);
    if (is_result(name) || is_file) continue;
    throw InputError(fmt::format(
        "{}: is no result, but {} is one; give two results (A.json B.json), or a workload alone",
        printable(name), printable(*result)));
  }
}

report::RunResult read_result(const std::string& file) {
  try {
    return report::read_run_result(file);
  } catch (const InputError&) {
    runtime::check_is_no_measurement(file);  // which has a better answer
    throw;
  }
}

}  // namespace

bool names_results(const Arguments& arguments) {
  return std::ranges::any_of(arguments.positionals,
                             [](const std::string& name) { return name.ends_with(".json"); });
}

int run_compare_results(const Arguments& arguments, const report::Streams& streams) {
  check_no_run_options(arguments);
  check_all_results(arguments);
  if (arguments.positionals.size() == 1) read_result(arguments.positionals[0]);
  check_two_reports(arguments, "one result alone; give two --json reports, A.json B.json");
  const auto json = json_target(arguments);
  const auto html = html_target(arguments);
  const report::ResultPair pair = report::pair_results(read_result(arguments.positionals[0]),
                                                       read_result(arguments.positionals[1]));
  if (html) {
    const std::string command = command_line("compare", arguments.words);
    write_file(*html, report::page_html(report::results_page_data(pair, command)));
  }
  return write_report(json, report::pair_json(pair), streams, [&] {
    if (!arguments.has("quiet")) streams.out << report::pair_text(pair, streams.style);
  });
}

}  // namespace weft::cli
