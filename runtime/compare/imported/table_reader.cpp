#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "models/measurements/csv_reader.h"
#include "runtime/compare/imported/compare_table.h"

namespace weft::runtime {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 1'000'000;
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 40U;

/// A row's fields as text; nullopt where the file has none or null.
using Field = std::function<std::optional<std::string>(const char* name)>;

/// Reads one row from its fields. Messages begin with `place`.
class RowReader {
 public:
  RowReader(const std::string& file, std::string place, Field field)
      : file_(file), place_(std::move(place)), field_(std::move(field)) {}

  TableRow read() const {
    TableRow table;
    CompareRow& row = table.row;
    row.device = visible_text(required("device"));
    row.title = visible_text(field_("title").value_or(row.device));
    const std::string kind = required("kind");
    row.kind = kind_of(kind);
    row.format = type();
    row.seconds = number("seconds", measurements::kMostSeconds, measurements::kLeastSeconds);
    row.clock_hz = number("clock_hz", 1e15);
    if (const auto cycles = number("cycles", 0x1p63)) {
      row.exact_cycles = static_cast<std::uint64_t>(*cycles);
    }
    read_figures(row);
    read_workload(table);
    const bool keeps_kind = kind == to_string(row.kind);
    row.basis = fmt::format("{}from {}", keeps_kind ? "" : kind + ", ", file_);
    if (const auto basis = field_("basis")) row.basis += ": " + visible_text(*basis);
    row.details = {{"file", file_}, {"kind", kind}};
    return table;
  }

 private:
  [[noreturn]] void fail(const char* name, const std::string& value) const {
    throw InputError(
        fmt::format("{}: {} {} is none that weft writes", place_, name, printable(value)));
  }

  std::string required(const char* name) const {
    auto value = field_(name);
    if (!value) throw InputError(fmt::format("{}: {} is missing", place_, name));
    return *std::move(value);
  }

  /// What another computer measured is imported here; a model stays a model.
  RowKind kind_of(const std::string& kind) const {
    for (const RowKind each :
         {RowKind::kSimulated, RowKind::kMeasured, RowKind::kModelled, RowKind::kImported}) {
      if (kind == to_string(each)) return each == RowKind::kMeasured ? RowKind::kImported : each;
    }
    fail("kind", kind);
  }

  std::optional<devices::NumberFormat> type() const {
    const auto text = field_("dtype");
    if (!text) return std::nullopt;
    const auto format = devices::number_format_from_string(*text);
    if (!format) fail("dtype", *text);
    return format;
  }

  /// A finite number from `least` to `most`.
  std::optional<double> number(const char* name, double most, double least = 0) const {
    const auto text = field_(name);
    if (!text) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() ||
        !(value >= least && value <= most)) {
      throw InputError(fmt::format("{}: {} is {}, but must be a number from {:g} to {:g}", place_,
                                   name, printable(*text), least, most));
    }
    return value;
  }

  std::optional<std::uint64_t> size(const char* name) const {
    const auto value = number(name, static_cast<double>(kMostSize));
    if (!value) return std::nullopt;
    if (*value < 1 || *value != std::floor(*value)) fail(name, *field_(name));
    return static_cast<std::uint64_t>(*value);
  }

  void read_figures(CompareRow& row) const {
    if (const auto peak = number("peak_tflops", 1e12)) row.peak = *peak * 1e12;
    row.waste = number("waste", 1);
    row.max_abs_error = number("max_abs_error", 1e300);
    row.joules = number("joules", 1e30);
    row.area_mm2 = number("array_mm2", 1e30);
    row.price_per_hour = number("price_per_hour", 1e30);
    const auto flop = number("flop", 1e30);
    const auto speed = number("tflops", 1e15);
    // A CSV has no FLOP; a network's follow from its speed.
    row.flop = flop.value_or(speed && row.seconds ? *speed * 1e12 * *row.seconds : 0);
  }

  void read_workload(TableRow& table) const {
    const std::string workload = visible_text(required("workload"));
    if (workload == "matmul") {
      const auto m = size("m");
      const auto k = size("k");
      const auto n = size("n");
      const auto shape = m && k && n ? measurements::checked_shape(*m, *k, *n) : std::nullopt;
      if (!shape) throw InputError(fmt::format("{}: m, k and n are no sizes of a product", place_));
      table.row.shape = *shape;
      table.row.flop = devices::useful_flop(*shape);
      return;
    }
    const auto batch = size("batch");
    if (!batch) {
      throw InputError(fmt::format(
          "{}: the batch of {} is missing: an older weft wrote the file; write it again", place_,
          printable(workload)));
    }
    const auto tokens = [&](const char* name) -> std::optional<std::int64_t> {
      const auto given = size(name);
      return given ? std::optional(static_cast<std::int64_t>(*given)) : std::nullopt;
    };
    table.network = {
        workload, static_cast<std::int64_t>(*batch), tokens("sequence"), tokens("kv_cache"), {}};
    table.row.results = static_cast<double>(*batch);
  }

  const std::string& file_;
  std::string place_;
  Field field_;
};

std::map<std::string, std::size_t> columns_of(const std::vector<std::string>& header) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (!columns.emplace(header[i], i).second) {
      throw InputError(fmt::format("has the column {} twice", printable(header[i])));
    }
  }
  return columns;
}

std::vector<TableRow> read_csv(const std::string& file) {
  measurements::ByteSource source(file);
  measurements::CsvReader reader(source);
  std::vector<std::string> fields;
  reader.next(fields);
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (fields[0].starts_with(kMark)) fields[0].erase(0, kMark.size());
  const std::map<std::string, std::size_t> columns = columns_of(fields);
  if (!columns.contains("seconds")) throw InputError("has no column seconds");
  const std::size_t width = fields.size();
  const Field field = [&](const char* name) -> std::optional<std::string> {
    const auto column = columns.find(name);
    if (column == columns.end() || fields[column->second].empty()) return std::nullopt;
    return fields[column->second];
  };
  std::vector<TableRow> rows;
  while (reader.next(fields)) {
    if (fields.size() == 1 && fields[0].empty()) continue;
    const std::string place = fmt::format("line {}", reader.line());
    if (fields.size() != width) {
      throw InputError(fmt::format("{}: has {} fields, but the header {}; is the file cut off?",
                                   place, fields.size(), width));
    }
    if (rows.size() == kMostRows) throw InputError("has more than a million rows");
    rows.push_back(RowReader(file, place, field).read());
  }
  return rows;
}

// --- JSON ----------------------------------------------------------------------------------------

Json parse_report(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20U;
  std::error_code error;
  if (std::filesystem::file_size(file, error) > kMostBytes || error) {
    throw InputError("is larger than 64 MiB, too large for a report of weft compare");
  }
  std::ifstream in(file, std::ios::binary);
  Json report = Json::parse(in, nullptr, false);
  if (report.is_discarded()) throw InputError("is damaged or cut off: no JSON");
  const bool known = report.is_object() && report.contains("schema") && report["schema"] == 1 &&
                     report.contains("rows") && report["rows"].is_array() &&
                     report.contains("workload") && report["workload"].is_object();
  if (!known) throw InputError("is no report of weft compare that this weft reads");
  return report;
}

/// A value as the text that a CSV has; nullopt for null, lists and objects.
std::optional<std::string> text_of(const Json& object, const char* name) {
  const auto value = object.find(name);
  if (value == object.end() || value->is_null() || value->is_structured()) return std::nullopt;
  if (!value->is_string()) return value->dump();
  return value->get<std::string>().empty() ? std::nullopt
                                           : std::optional(value->get<std::string>());
}

std::vector<TableRow> read_rows(const Json& report, const std::string& file) {
  const Json& workload = report["workload"];
  const auto network = text_of(workload, "network");
  std::vector<TableRow> rows;
  for (const Json& entry : report["rows"]) {
    const std::string place = fmt::format("rows[{}]", rows.size());
    if (!entry.is_object()) throw InputError(place + ": is no object");
    const auto shape = entry.find("shape");
    const Field field = [&](const char* name) -> std::optional<std::string> {
      const std::string_view key = name;
      if (key == "workload") return network.value_or("matmul");
      if (key == "batch" || key == "sequence" || key == "kv_cache") return text_of(workload, name);
      if (key == "m" || key == "k" || key == "n") {
        if (shape == entry.end() || !shape->is_object()) return std::nullopt;
        return text_of(*shape, name);
      }
      return text_of(entry, name);
    };
    rows.push_back(RowReader(file, place, field).read());
  }
  return rows;
}

template <class Read>
TableFile named(const std::string& file, Read&& read) {
  try {
    TableFile table = read(file);
    if (table.rows.empty()) throw InputError("has no rows");
    return table;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

TableFile read_table_csv(const std::string& file) {
  return named(file, [](const std::string& name) { return TableFile{read_csv(name)}; });
}

TableFile read_table_json(const std::string& file) {
  return named(file, [](const std::string& name) {
    const Json report = parse_report(name);
    return TableFile{read_rows(report, name), recorded_imports(report, name)};
  });
}

}  // namespace weft::runtime
