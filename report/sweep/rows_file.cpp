#include "report/sweep/rows_file.h"

#include <fmt/format.h>

#include "base/version.h"
#include "report/csv/csv.h"

namespace weft::report {

Json cell_json(const sweep::Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

std::string csv_header() {
  std::string line;
  for (const sweep::Column& column : sweep::columns()) {
    line += (line.empty() ? "" : ",") + column.name;
  }
  return line + '\n';
}

std::string csv_row(std::span<const sweep::Cell> row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += (i == 0 ? "" : ",") + csv_field(sweep::to_text(row[i]));
  }
  return line + '\n';
}

std::string json_begin() {
  return fmt::format("{{\"schema\": 1, \"command\": \"sweep\", \"weft\": \"{}\", \"points\": [",
                     version());
}

std::string json_row(std::span<const sweep::Cell> row, bool first) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < row.size(); ++i) json[sweep::columns()[i].name] = cell_json(row[i]);
  return fmt::format("{}\n{}", first ? "" : ",",
                     json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string json_end() {
  return "\n]}\n";
}

}  // namespace weft::report
