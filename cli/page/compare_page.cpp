#include "cli/page/compare_page.h"

namespace weft::cli {

Json compare_page_data(const CompareReport& report, const std::string& command_line) {
  const Json json = compare_json(report);
  return {{"title", "compare " + compared_text(report)},
          {"command", command_line},
          {"report", {{"schema", json.at("schema")}, {"command", json.at("command")}}},
          {"compare",
           {{"workload", json.at("workload")},
            {"sweep", json.at("sweep")},
            {"rows", json.at("rows")}}}};
}

}  // namespace weft::cli
