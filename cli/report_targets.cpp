#include "cli/report_targets.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "cli/options/common_options.h"

namespace weft::cli {
namespace {

/// Throws InputError if two options name one file.
void check_apart(const Arguments& arguments, const char* first, const char* second) {
  const auto one = arguments.text(first);
  const auto other = arguments.text(second);
  if (!one || !other || !same_file(*one, *other)) return;
  throw InputError(fmt::format("{}: named by both --{} and --{}; choose two files",
                               printable(*other), first, second));
}

}  // namespace

std::optional<std::string> json_target(const Arguments& arguments) {
  auto json = arguments.text("json");
  if (json && *json != "-") check_writable(*json);
  return json;
}

std::optional<std::string> csv_target(const Arguments& arguments) {
  auto csv = arguments.text("csv");
  if (!csv) return csv;
  if (*csv != "-") check_writable(*csv);
  check_apart(arguments, "json", "csv");
  return csv;
}

std::optional<std::string> html_target(const Arguments& arguments) {
  auto html = arguments.text("html");
  if (!html) return html;
  if (*html == "-") {
    throw InputError("--html -: only --json and --csv can go to stdout; name a file");
  }
  check_writable(*html);
  check_apart(arguments, "json", "html");
  check_apart(arguments, "csv", "html");
  return html;
}

ReportTargets report_targets(const Arguments& arguments) {
  return {json_target(arguments), csv_target(arguments), html_target(arguments)};
}

void check_two_reports(const Arguments& arguments, const char* missing) {
  if (arguments.positionals.size() < 2) throw InputError(missing);
  check_positional_count(arguments, 2);
  for (const char* flag : {"json", "csv", "html"}) {
    const auto target = arguments.text(flag);
    for (const std::string& file : arguments.positionals) {
      if (!target || !same_file(*target, file)) continue;
      throw InputError(fmt::format("{}: --{} would replace a report; choose another file",
                                   printable(file), flag));
    }
  }
}

}  // namespace weft::cli
