#include "cli/report_targets.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "cli/common_options.h"

namespace weft::cli {

std::optional<std::string> json_target(const Arguments& arguments) {
  auto json = arguments.text("json");
  if (json && *json != "-") check_writable(*json);
  return json;
}

std::optional<std::string> html_target(const Arguments& arguments) {
  auto html = arguments.text("html");
  if (!html) return html;
  if (*html == "-") throw InputError("--html -: only --json can go to stdout; name a file");
  check_writable(*html);
  const auto json = arguments.text("json");
  if (json && same_file(*json, *html)) {
    throw InputError(
        fmt::format("{}: named by both --json and --html; choose two files", printable(*html)));
  }
  return html;
}

void check_two_reports(const Arguments& arguments, const char* missing) {
  if (arguments.positionals.size() < 2) throw InputError(missing);
  check_positional_count(arguments, 2);
  for (const char* flag : {"json", "html"}) {
    const auto target = arguments.text(flag);
    for (const std::string& file : arguments.positionals) {
      if (!target || !same_file(*target, file)) continue;
      throw InputError(fmt::format("{}: --{} would replace a report; choose another file",
                                   printable(file), flag));
    }
  }
}

}  // namespace weft::cli
