#include "cli/commands/compare_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/report_targets.h"
#include "report/page/page.h"
#include "report/page/results_page.h"

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

}  // namespace

bool names_results(const Arguments& arguments) {
  return std::ranges::any_of(arguments.positionals,
                             [](const std::string& name) { return name.ends_with(".json"); });
}

int run_compare_results(const Arguments& arguments, const report::Streams& streams) {
  check_no_run_options(arguments);
  check_two_reports(arguments, "one result alone; give two --json reports, A.json B.json");
  const auto json = json_target(arguments);
  const auto html = html_target(arguments);
  const report::ResultPair pair =
      report::pair_results(report::read_run_result(arguments.positionals[0]),
                           report::read_run_result(arguments.positionals[1]));
  if (html) {
    const std::string command = command_line("compare", arguments.words);
    write_file(*html, report::page_html(report::results_page_data(pair, command)));
  }
  return write_report(json, report::pair_json(pair), streams, [&] {
    if (!arguments.has("quiet")) streams.out << report::pair_text(pair, streams.style);
  });
}

}  // namespace weft::cli
