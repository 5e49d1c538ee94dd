#include "cli/report_targets.h"

#include "base/error.h"
#include "cli/options/common_options.h"

namespace weft::cli {
std::optional<std::string> json_target(const Arguments& arguments) {
  auto json = arguments.text("json");
  if (json && *json != "-") check_writable(*json);
  return json;
}

std::optional<std::string> csv_target(const Arguments& arguments) {
  auto csv = arguments.text("csv");
  if (!csv) return csv;
  if (*csv != "-") check_writable(*csv);
  return csv;
}

std::optional<std::string> html_target(const Arguments& arguments) {
  auto html = arguments.text("html");
  if (!html) return html;
  if (*html == "-") {
    throw InputError("--html -: only --json and --csv can go to stdout; name a file");
  }
  check_writable(*html);
  return html;
}

ReportTargets report_targets(const Arguments& arguments) {
  return {json_target(arguments), csv_target(arguments), html_target(arguments)};
}

void check_two_reports(const Arguments& arguments, const char* missing) {
  if (arguments.positionals.size() < 2) throw InputError(missing);
  check_positional_count(arguments, 2);
}

}  // namespace weft::cli
