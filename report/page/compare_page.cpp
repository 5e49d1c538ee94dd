#include "report/page/compare_page.h"

#include <fmt/format.h>

#include <span>

namespace weft::report {
namespace {

/// "tpu-v2 (simulated), a100 (modelled)"; names each device of a sweep once.
std::string devices_line(const runtime::CompareReport& report) {
  std::string line;
  const std::size_t many =
      report.rows.size() / (report.sweep ? report.sweep->sizes.size() : std::size_t{1});
  for (const runtime::CompareRow& row : std::span(report.rows).first(many)) {
    line += fmt::format("{}{} ({})", line.empty() ? "" : ", ", row.device, to_string(row.kind));
  }
  return line;
}

}  // namespace

Json compare_page_data(const runtime::CompareReport& report, const std::string& command_line) {
  const Json json = compare_json(report);
  return {{"title", "compare " + compared_text(report)},
          {"lines", {devices_line(report)}},
          {"command", command_line},
          {"report", {{"schema", json.at("schema")}, {"command", json.at("command")}}},
          {"compare",
           {{"workload", json.at("workload")},
            {"sweep", json.at("sweep")},
            {"rows", json.at("rows")}}}};
}

}  // namespace weft::report
