#include "models/measurements/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/byte_source.h"
#include "models/measurements/csv_reader.h"
#include "models/measurements/csv_tables.h"
#include "models/measurements/nsys_sqlite.h"
#include "models/measurements/torch_events.h"
#include "models/measurements/torch_trace.h"

namespace weft::measurements {
namespace {

using Table = std::variant<std::monostate, ProductsTable, NcuTable, NsysTable>;

/// How far a header may be from the start: profiled programs print before it.
constexpr std::uint64_t kMostPreambleLines = 100'000;

bool is_compare_header(const CsvFields& fields) {
  return fields.size() > 7 && fields[0] == "device" && fields[1] == "kind" &&
         fields[2] == "dtype" && fields[3] == "workload";
}

/// Begins T if the fields are its header; false if they are not.
template <class T>
bool begins(Table& table, const CsvFields& fields, std::uint64_t line) {
  if (!T::is_header(fields)) return false;
  if (!std::holds_alternative<std::monostate>(table) && !std::holds_alternative<T>(table)) {
    throw InputError(
        fmt::format("line {}: a second table, of another program; give one file each", line));
  }
  if (!std::holds_alternative<T>(table)) table.emplace<T>();
  std::get<T>(table).begin(fields);
  return true;
}

bool begins_any(Table& table, const CsvFields& fields, std::uint64_t line) {
  // The columns of a products' CSV are exact names, which rows of other tables may have by chance.
  if (std::holds_alternative<std::monostate>(table) && begins<ProductsTable>(table, fields, line)) {
    return true;
  }
  if (std::holds_alternative<ProductsTable>(table)) return false;
  return begins<NcuTable>(table, fields, line) || begins<NsysTable>(table, fields, line);
}

class CsvFile {
 public:
  explicit CsvFile(ByteSource& source) : reader_(source) {}

  MeasurementFile measurements() {
    while (reader_.next(fields_)) {
      const bool none = std::holds_alternative<std::monostate>(table_);
      if (none && is_compare_header(fields_)) return {.format = FileFormat::kCompareCsv};
      if (none && reader_.is_comment()) {
        if (comments_.size() < 1000) comments_.emplace_back(fields_[0], reader_.line());
      } else if (!begins_any(table_, fields_, reader_.line())) {
        if (none && reader_.line() > kMostPreambleLines) break;
        if (none) refuse_semicolons();
        add();
      } else if (none) {
        give_comments();
      }
    }
    return std::visit(
        [](auto& table) -> MeasurementFile {
          if constexpr (requires { table.take(); }) return table.take();
          throw InputError(
              "has no measurements that weft knows: no trace of PyTorch's profiler, CSV of ncu, "
              "nsys or weft compare, SQLite export of nsys, or CSV with name,shape,seconds");
        },
        table_);
  }

 private:
  /// Spreadsheets write them where the decimal point is a comma.
  void refuse_semicolons() const {
    const std::string& line = fields_[0];
    if (fields_.size() != 1 || line.find(';') == std::string::npos) return;
    const bool is_header =
        line.starts_with("name;") || line.starts_with("shape;") || line.starts_with("device;kind;");
    if (!is_header) return;
    throw InputError(
        fmt::format("line {}: has semicolons between its fields; write commas, and decimal points",
                    reader_.line()));
  }

  void add() {
    if (auto* products = std::get_if<ProductsTable>(&table_)) {
      if (reader_.is_comment()) {
        products->comment(fields_[0], reader_.line());
      } else {
        products->add(fields_, reader_.line());
      }
    } else if (auto* kernels = std::get_if<NcuTable>(&table_)) {
      kernels->add(fields_, reader_.line());
    } else if (auto* rows = std::get_if<NsysTable>(&table_)) {
      rows->add(fields_, reader_.line());
    }
  }

  void give_comments() {
    auto* products = std::get_if<ProductsTable>(&table_);
    if (products == nullptr) return;
    for (const auto& [text, line] : comments_) products->comment(text, line);
  }

  CsvReader reader_;
  CsvFields fields_;
  Table table_;
  std::vector<std::pair<std::string, std::uint64_t>> comments_;
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

MeasurementFile read_json(ByteSource& source) {
  const TorchEvents events = read_torch_events(source);
  if (events.operators.empty() && events.kernels.empty() && events.command == "compare") {
    return {.format = FileFormat::kCompareJson};
  }
  return torch_measurements(events);
}

MeasurementFile read_any(const std::string& file) {
  ByteSource source(file);
  std::string_view begin = source.begin();
  if (begin.starts_with("SQLite format 3")) return read_nsys_sqlite(file);
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF")) {
    throw InputError("is UTF-16, as PowerShell writes it; convert it to UTF-8");
  }
  if (begin.starts_with(kByteOrderMark)) {
    begin.remove_prefix(kByteOrderMark.size());
    for (std::size_t i = 0; i < kByteOrderMark.size(); ++i) source.advance();
  }
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (begin[first] == '{' || begin[first] == '[')) {
    return read_json(source);
  }
  return CsvFile(source).measurements();
}

/// Names go to terminals, CSV and JSON.
void make_visible(MeasurementFile& read) {
  for (std::string& device : read.devices) device = visible_text(device);
  for (Measurement& each : read.measurements) {
    each.name = visible_text(each.name);
    each.operands = visible_text(each.operands);
  }
}

}  // namespace

MeasurementFile read_measurements(const std::string& file) {
  try {
    MeasurementFile read = read_any(file);
    read.file = file;
    make_visible(read);
    return read;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace weft::measurements
