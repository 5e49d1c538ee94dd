#include "report/explain/report_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "base/input_path.h"
#include "report/explain/json_fields.h"

namespace weft::report {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::uintmax_t kLargestFileBytes = std::uintmax_t{64} << 20U;
constexpr std::string_view kNoReport = "is not a --json report of a weft run";

void check_schema(const JsonFields& report) {
  if (!report.has("schema") || !report.at("schema").is_number_integer() ||
      report.is_null("command")) {
    throw InputError(std::string(kNoReport));
  }
  if (report.at("schema") == kSchema) return;
  throw InputError(fmt::format(
      "is a report of schema {}, but this weft reads schema {}; run again to write a new report",
      report.at("schema").dump(), kSchema));
}

}  // namespace

Json parse_json_file(const std::string& file, std::string_view no_such) {
  if (const char* problem = input_path_problem(file)) throw InputError(problem);
  std::error_code error;
  if (std::filesystem::file_size(file, error) > kLargestFileBytes || error) {
    throw InputError(
        fmt::format("{}: it is larger than {} MiB", no_such, kLargestFileBytes >> 20U));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("cannot be read");
  Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded()) throw InputError(fmt::format("{}: it is not JSON", no_such));
  return json;
}

Json read_report_file(const std::string& file) {
  Json json = parse_json_file(file, kNoReport);
  check_schema(JsonFields(json, ""));
  return json;
}

}  // namespace weft::report
