#include "report/explain/report_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "report/explain/json_fields.h"

namespace weft::report {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::uintmax_t kLargestFileBytes = std::uintmax_t{64} << 20U;
constexpr std::string_view kNoReport = "is not a --json report of a weft run";

/// Refuses an object that has the same field twice: one of the two would be ignored.
class DuplicateCheck {
 public:
  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(key).second) {
        throw InputError(fmt::format("has the field {} twice in one object", printable(key)));
      }
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;  // the fields so far of each object around this place
};

/// "line 12, column 5: invalid literal" from the parser's "[...] parse error at line 12, column 5:
/// syntax error while parsing value - invalid literal; last read: '...'".
std::string parse_problem(const Json::exception& error) {
  const std::string_view what = error.what();
  constexpr std::string_view kAt = "parse error at ";
  const std::size_t at = what.find(kAt);
  if (at == std::string_view::npos) return "a number is out of range";
  const std::string_view place = what.substr(at + kAt.size());
  const std::string_view line = place.substr(0, place.find(": "));
  const std::size_t why = place.find(" - ");
  if (why == std::string_view::npos) return std::string(line);
  const std::string_view text = place.substr(why + 3);
  return fmt::format("{}: {}", line, text.substr(0, text.find("; last read: ")));
}

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
  if (in.peek() == std::ifstream::traits_type::eof()) {
    throw InputError(fmt::format("{}: it is empty", no_such));
  }
  DuplicateCheck duplicates;
  try {
    return Json::parse(in, std::ref(duplicates));
  } catch (const Json::exception& problem) {
    throw InputError(fmt::format("{}: it is not JSON, {}", no_such, parse_problem(problem)));
  }
}

Json read_report_file(const std::string& file) {
  Json json = parse_json_file(file, kNoReport);
  check_schema(JsonFields(json, ""));
  return json;
}

void check_is_run(const Json& report) {
  const JsonFields fields(report, "");
  if (!fields.is_null("machine") && !fields.is_null("cycles")) return;
  throw InputError(
      "has no cycles of a run; give reports of matmul, conv, run or exec on a machine, or of "
      "explain without --why and without the sweep of a network");
}

}  // namespace weft::report
