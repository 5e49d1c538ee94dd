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

Json without_products(Json workload) {
  workload.erase("products");
  return workload;
}

/// The list of what did not match can be long; the page has the longest times, and the sum of the
/// others.
Json shortened_imports(Json imports) {
  constexpr std::size_t kMost = 300;
  for (Json& file : imports) {
    Json& unmatched = file["unmatched"];
    if (unmatched.size() <= kMost) continue;
    const std::size_t left = unmatched.size() - kMost;
    double seconds = 0;
    for (std::size_t i = kMost; i < unmatched.size(); ++i) {
      seconds += unmatched[i].at("seconds").get<double>();
    }
    unmatched.erase(unmatched.begin() + static_cast<std::ptrdiff_t>(kMost), unmatched.end());
    // New keys move the other ones, so nothing refers to `unmatched` from here on.
    file["unmatched_left"] = left;
    file["unmatched_left_seconds"] = seconds;
  }
  return imports;
}

}  // namespace

Json compare_page_data(const runtime::CompareReport& report, const std::string& command_line) {
  const Json json = compare_json(report);
  return {{"title", "compare " + compared_text(report)},
          {"lines", {devices_line(report)}},
          {"command", command_line},
          {"report", {{"schema", json.at("schema")}, {"command", json.at("command")}}},
          {"compare",
           {{"workload", without_products(json.at("workload"))},
            {"sweep", json.at("sweep")},
            {"rows", json.at("rows")},
            {"imports", shortened_imports(json.at("imports"))}}}};
}

}  // namespace weft::report
