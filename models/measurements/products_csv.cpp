#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "models/measurements/csv_tables.h"

namespace weft::measurements {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 20U;

/// A time without a unit has that of its column; "time" alone has none.
std::optional<double> unit_of_column(std::string_view column) {
  if (column == "time") return 0.0;
  if (column == "seconds") return 1.0;
  if (column.starts_with("time_")) return seconds_of_unit(column.substr(5));
  return std::nullopt;
}

std::optional<std::size_t> exact_column(const CsvFields& header, std::string_view name) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::optional<std::size_t> time_column(const CsvFields& header) {
  const auto found = std::ranges::find_if(
      header, [](const std::string& name) { return unit_of_column(name).has_value(); });
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

/// Refuses two columns if one would be ignored.
void check_columns_once(const CsvFields& header) {
  const std::string* time = nullptr;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto before = header.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(header.begin(), before, header[i]) != before) {
      throw InputError(fmt::format("has the column {} twice", printable(header[i])));
    }
    if (!unit_of_column(header[i])) continue;
    if (time != nullptr) {
      throw InputError(fmt::format("has two columns of times, {} and {}; keep one",
                                   printable(*time), printable(header[i])));
    }
    time = &header[i];
  }
}

devices::NumberFormat parse_type(std::string_view text, std::uint64_t line) {
  if (const auto format = devices::number_format_from_string(text)) return *format;
  throw InputError(fmt::format("line {}: {} is no type; write fp32, tf32, bf16, fp16 or int8", line,
                               printable(text)));
}

/// What is wrong with a time that cannot be read or is not greater than 0.
std::string time_problem(std::string_view text, bool in_unit) {
  if (text.find(',') != std::string_view::npos) {
    return printable(text) + " has a comma; write a decimal point";
  }
  return fmt::format("{} is no time greater than 0; write {}a number and its unit, such as 440 us",
                     printable(text), in_unit ? "a number, or " : "");
}

[[noreturn]] void refuse_shape(std::string_view text) {
  throw InputError(fmt::format(
      "{} is no shape; write MxKxN, or COUNT*MxKxN, of sizes from 1 to 2^40", printable(text)));
}

}  // namespace

devices::GemmShape parse_shape(std::string_view text) {
  std::string_view rest = text;
  std::array<std::uint64_t, 4> sizes = {1, 0, 0, 0};
  const std::size_t star = rest.find('*');
  std::size_t place = star == std::string_view::npos ? 1 : 0;
  for (; place < 4; ++place) {
    const char end = place == 0 ? '*' : 'x';
    const std::size_t length = place == 3 ? rest.size() : rest.find(end);
    if (length == std::string_view::npos) refuse_shape(text);
    const std::string_view digits = rest.substr(0, length);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), sizes[place]);
    if (error != std::errc() || stop != digits.data() + digits.size()) refuse_shape(text);
    rest.remove_prefix(std::min(rest.size(), length + 1));
  }
  const auto shape = checked_shape(sizes[1], sizes[2], sizes[3], sizes[0]);
  if (!shape) refuse_shape(text);
  return *shape;
}

bool ProductsTable::is_header(const CsvFields& fields) {
  return (exact_column(fields, "name") || exact_column(fields, "shape")) && time_column(fields);
}

void ProductsTable::begin(const CsvFields& header) {
  constexpr std::array<std::string_view, 5> kKnown = {"name", "shape", "dtype", "device", "count"};
  for (const std::string& name : header) {
    if (unit_of_column(name).has_value() || std::ranges::find(kKnown, name) != kKnown.end())
      continue;
    throw InputError(fmt::format(
        "the column {} is unknown; there are name, shape, seconds (or time), dtype, device, count",
        printable(name)));
  }
  check_columns_once(header);
  width_ = header.size();
  name_ = exact_column(header, "name");
  shape_ = exact_column(header, "shape");
  time_ = time_column(header);
  dtype_ = exact_column(header, "dtype");
  device_ = exact_column(header, "device");
  count_ = exact_column(header, "count");
  unit_ = *unit_of_column(header[*time_]);
}

void ProductsTable::comment(std::string_view text, std::uint64_t line) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return;
  std::string_view key = text.substr(0, colon);
  key.remove_prefix(std::min(key.find_first_not_of("# \t"), key.size()));
  key = trimmed(key);
  const std::string_view value = trimmed(text.substr(colon + 1));
  if (key == "device") usual_device_ = value;
  if (key == "dtype") usual_format_ = parse_type(value, line);
}

void ProductsTable::add(const CsvFields& fields, std::uint64_t line) {
  if (fields.size() == 1 && fields[0].empty()) return;
  if (fields.size() != width_) {
    throw InputError(
        fmt::format("line {}: has {} fields, but the header {}; write numbers with a decimal point",
                    line, fields.size(), width_));
  }
  const auto at = [&](const std::optional<std::size_t>& place) {
    return place ? std::string_view(fields[*place]) : std::string_view();
  };
  Measurement row;
  row.name = at(name_);
  try {
    if (!at(shape_).empty()) row.shape = parse_shape(at(shape_));
  } catch (const InputError& error) {
    throw InputError(fmt::format("line {}: {}", line, error.what()));
  }
  row.is_product = row.shape.has_value();  // a name may be that of any layer
  if (row.name.empty() && !row.shape) {
    throw InputError(fmt::format("line {}: has neither a name nor a shape", line));
  }
  const auto seconds = time_of(at(time_), unit_);
  if (!seconds || *seconds == 0) {
    throw InputError(fmt::format("line {}: {}", line, time_problem(at(time_), unit_ > 0)));
  }
  row.format = at(dtype_).empty() ? usual_format_ : parse_type(at(dtype_), line);
  row.device = devices_.number_of(at(device_).empty() ? usual_device_ : at(device_));
  row.count = at(count_).empty() ? 1
                                 : parse_number(at(count_), fmt::format("line {}: count", line), 1,
                                                std::uint64_t{1} << 40U);
  const std::string what = row.name.empty() ? shape_text(*row.shape) : row.name;
  row.median =
      checked_seconds(*seconds, fmt::format("line {}: {}", line, printable(what)), kLeastSeconds);
  row.total = row.median * static_cast<double>(row.count);
  const std::string key =
      fmt::format("{}|{}|{}|{}", row.name, row.shape ? shape_text(*row.shape) : "",
                  row.format ? devices::to_string(*row.format) : "", row.device);
  const std::size_t known = keys_.size();
  if (keys_.number_of(key) != known) {
    throw InputError(
        fmt::format("line {}: the same name, shape, type and device as in a line before; "
                    "keep one",
                    line));
  }
  if (rows_.size() == kMostRows) {
    throw InputError(fmt::format("has more than {} rows", kMostRows));
  }
  rows_.push_back(std::move(row));
}

MeasurementFile ProductsTable::take() {
  if (rows_.empty()) throw InputError("has a header, but no rows");
  MeasurementFile file;
  file.format = FileFormat::kProductsCsv;
  file.time_of = "time in the file";
  for (std::uint32_t i = 0; i < devices_.size(); ++i) file.devices.push_back(devices_.name(i));
  file.measurements = std::move(rows_);
  return file;
}

}  // namespace weft::measurements
