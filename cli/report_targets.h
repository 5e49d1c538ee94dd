// Where commands that write reports, and run nothing with values, put them: --json, --csv and
// --html.
#pragma once

#include <optional>
#include <string>

#include "base/output_file.h"
#include "cli/options/arguments.h"
#include "report/json.h"
#include "report/streams.h"

namespace weft::cli {

/// The file of --json, "-" for stdout. Throws InputError if it cannot be written.
std::optional<std::string> json_target(const Arguments& arguments);

/// The file of --csv, likewise, if the command has that option.
std::optional<std::string> csv_target(const Arguments& arguments);

/// The file of --html. Throws InputError if it is stdout or cannot be written.
std::optional<std::string> html_target(const Arguments& arguments);

/// The files of all three.
struct ReportTargets {
  std::optional<std::string> json;
  std::optional<std::string> csv;
  std::optional<std::string> html;
};
ReportTargets report_targets(const Arguments& arguments);

/// Checks that the arguments name two reports. Throws InputError, with the text `missing` if there
/// are fewer.
void check_two_reports(const Arguments& arguments, const char* missing);

/// Writes the JSON to the target of --json. Calls `print` unless it is stdout. Returns exit code 0.
/// Throws InputError.
template <class Print>
int write_report(const std::optional<std::string>& target, const report::Json& json,
                 const report::Streams& streams, Print print) {
  const std::string text = report::json_file_text(json);
  if (target == "-") return streams.out << text, 0;
  if (target) write_file(*target, text);
  print();
  return 0;
}

/// The same for all three. `make_csv` and `make_page` are only called for files that were named.
template <class MakeCsv, class MakePage, class Print>
int write_reports(const ReportTargets& targets, const report::Json& json, MakeCsv make_csv,
                  MakePage make_page, const report::Streams& streams, Print print) {
  if (targets.html) write_file(*targets.html, make_page());
  const std::string csv = targets.csv ? make_csv() : std::string();
  if (targets.csv && targets.csv != "-") write_file(*targets.csv, csv);
  return write_report(targets.json, json, streams, [&] {
    if (targets.csv == "-") {
      streams.out << csv;
    } else {
      print();
    }
  });
}

}  // namespace weft::cli
