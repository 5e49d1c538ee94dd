#include "runtime/compare/imported/compare_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/read_file.h"
#include "runtime/compare/device_names.h"

namespace weft::runtime {
namespace {

using measurements::FileFormat;

bool same_network(const ComparedNetwork& a, const ComparedNetwork& b) {
  return a.name == b.name && a.batch == b.batch && a.sequence == b.sequence &&
         a.kv_cache == b.kv_cache;
}

std::string network_text(const ComparedNetwork& network) {
  std::string text = fmt::format("{}, batch {}", network.name, network.batch);
  if (network.sequence) text += fmt::format(", sequence {}", *network.sequence);
  if (network.kv_cache) text += fmt::format(", cache {}", *network.kv_cache);
  return text;
}

std::string work_text(const TableRow& row) {
  return row.network ? network_text(*row.network) : measurements::shape_text(row.row.shape);
}

}  // namespace

CompareTable::CompareTable(std::string file, FileFormat format)
    : file_(std::move(file)),
      format_(format),
      table_(format == FileFormat::kCompareCsv ? read_table_csv(file_) : read_table_json(file_)),
      columns_(columns()),
      matched_(table_.rows.size(), false) {}

std::vector<CompareTable::Column> CompareTable::columns() const {
  std::vector<Column> columns;
  std::map<std::tuple<std::string, RowKind, std::string_view, std::string>, std::size_t> counts;
  for (const TableRow& each : table_.rows) {
    const CompareRow& row = each.row;
    const std::size_t nth =
        counts[{row.device, row.kind, row.format_name(), measurements::shape_text(row.shape)}]++;
    columns.push_back({row.device, row.kind, row.format, nth});
  }
  return columns;
}

std::vector<std::vector<CompareRow>> CompareTable::products(
    const std::vector<devices::GemmShape>& shapes) {
  // A row of each column that has one of the products, in the order of the file.
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const TableRow& row = table_.rows[i];
    if (row.network || std::ranges::find(shapes, row.row.shape) == shapes.end()) continue;
    const bool known = std::ranges::any_of(
        firsts, [&](std::size_t first) { return columns_[first] == columns_[i]; });
    if (!known) firsts.push_back(i);
  }
  std::vector<std::vector<CompareRow>> rows(shapes.size());
  for (const std::size_t first : firsts) {
    for (std::size_t at = 0; at < shapes.size(); ++at) {
      rows[at].push_back(product_row(first, shapes[at]));
    }
  }
  return rows;
}

/// The row of this product in the column of the row `like`.
CompareRow CompareTable::product_row(std::size_t like, const devices::GemmShape& shape) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const TableRow& row = table_.rows[i];
    if (row.network || row.row.shape != shape || columns_[i] != columns_[like]) continue;
    matched_[i] = true;
    return row.row;
  }
  const CompareRow& known = table_.rows[like].row;
  CompareRow row;
  row.device = known.device;
  row.title = known.title;
  row.kind = known.kind;
  row.format = known.format;
  row.shape = shape;
  row.flop = devices::useful_flop(shape);
  row.basis = fmt::format("{} does not have this product", file_);
  row.details = known.details;  // its file, and the kind that it had
  return row;
}

std::vector<CompareRow> CompareTable::network(const ComparedNetwork& network,
                                              const graph::Graph& /*graph*/, double /*flop*/) {
  std::vector<CompareRow> rows;
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    if (!table_.rows[i].network || !same_network(*table_.rows[i].network, network)) continue;
    rows.push_back(table_.rows[i].row);
    matched_[i] = true;
  }
  return rows;
}

std::vector<ImportedFile> CompareTable::summaries() const {
  std::vector<ImportedFile> all = {summary()};
  all.insert(all.end(), table_.imports.begin(), table_.imports.end());
  return all;
}

ImportedFile CompareTable::summary() const {
  ImportedFile summary;
  summary.of_rows = true;
  summary.file = file_;
  summary.format = measurements::title_of(format_);
  summary.time_of = "time in the file";
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    const CompareRow& row = table_.rows[i].row;
    if (row.kind != RowKind::kImported) continue;  // nobody measured it
    const double seconds = row.seconds.value_or(0);
    auto device = std::ranges::find(summary.devices, row.device, &ImportedDevice::name);
    if (device == summary.devices.end()) {
      device = summary.devices.insert(summary.devices.end(), ImportedDevice{row.device});
    }
    device->seconds += seconds;
    if (matched_[i]) {
      device->matched_seconds += seconds;
    } else {
      summary.unmatched.push_back({row.device, work_text(table_.rows[i]), "", 1, seconds});
    }
  }
  std::ranges::stable_sort(summary.unmatched, std::ranges::greater{}, &UnmatchedTime::seconds);
  return summary;
}

std::vector<std::string> CompareTable::known_products() const {
  std::vector<std::string> known;
  std::unordered_set<std::string> seen;
  for (const TableRow& row : table_.rows) {
    const std::string text = work_text(row);
    if (seen.insert(text).second) known.push_back(text);
  }
  return known;
}

// --- Tables alone --------------------------------------------------------------------------------

namespace {

bool is_table(FileFormat format) {
  return format == FileFormat::kCompareCsv || format == FileFormat::kCompareJson;
}

[[noreturn]] void refuse_measurements(const std::string& file, FileFormat format) {
  throw InputError(fmt::format(
      "{}: is {}, not what weft compare --csv or --json writes; show it beside devices with "
      "--measured",
      file, measurements::title_of(format)));
}

std::unique_ptr<CompareTable> open_table(const std::string& file) {
  const FileFormat format = measurements::read_measurements(file).format;
  if (!is_table(format)) refuse_measurements(file, format);
  return std::make_unique<CompareTable>(file, format);
}

/// The one size in which the products differ; nullopt if they differ in several.
std::optional<ComparedSweep> sweep_of(const std::vector<devices::GemmShape>& shapes) {
  constexpr std::pair<char, std::uint64_t devices::GemmShape::*> kSizes[] = {
      {'m', &devices::GemmShape::m}, {'k', &devices::GemmShape::k}, {'n', &devices::GemmShape::n}};
  std::optional<ComparedSweep> sweep;
  for (const auto& [name, size] : kSizes) {
    std::set<std::uint64_t> sizes;
    for (const devices::GemmShape& shape : shapes) sizes.insert(shape.*size);
    if (sizes.size() == 1) continue;
    if (sweep) return std::nullopt;
    sweep = {name, 1, {sizes.begin(), sizes.end()}};
    sweep->step = sweep->sizes[1] - sweep->sizes[0];
  }
  return sweep;
}

class TableReport {
 public:
  explicit TableReport(const std::vector<std::string>& files) {
    for (const std::string& file : files) tables_.push_back(open_table(file));
  }

  CompareReport report() {
    const TableRow& first = tables_.front()->rows().front();
    for (const auto& table : tables_) {
      for (const TableRow& row : table->rows()) check_alike(first, row);
    }
    if (first.network) {
      report_.network = first.network;
      report_.flop = first.row.flop;
      for (const auto& table : tables_) append(table->network(*first.network, {}, 0));
    } else {
      add_products();
    }
    tell_apart(report_);
    for (const auto& table : tables_) add_summaries(*table, report_.imports);
    for (const CompareRow& row : report_.rows) {
      report_.energy |= row.joules || row.area_mm2;
      report_.price |= row.price_per_hour.has_value();
    }
    return std::move(report_);
  }

 private:
  void append(std::vector<CompareRow> rows) {
    for (CompareRow& row : rows) report_.rows.push_back(std::move(row));
  }

  void check_alike(const TableRow& first, const TableRow& row) const {
    const bool alike =
        first.network ? row.network && same_network(*first.network, *row.network) : !row.network;
    if (alike) return;
    throw InputError(
        fmt::format("the rows are of {} and of {}; name one: weft compare WORKLOAD --measured FILE",
                    printable(work_text(first)), printable(work_text(row))));
  }

  void add_products() {
    std::vector<devices::GemmShape> shapes;
    for (const auto& table : tables_) {
      for (const TableRow& row : table->rows()) {
        const bool known = std::ranges::find(shapes, row.row.shape) != shapes.end();
        if (!known) shapes.push_back(row.row.shape);
      }
    }
    report_.shape = shapes.front();
    report_.flop = devices::useful_flop(shapes.front());
    if (shapes.size() > 1) {
      report_.sweep = sweep_of(shapes);
      if (!report_.sweep) {
        throw InputError(fmt::format(
            "the rows are of {} products, such as {} and {}, which differ in more than one size; "
            "name one: weft compare matmul M K N --measured FILE",
            shapes.size(), measurements::shape_text(shapes[0]),
            measurements::shape_text(shapes[1])));
      }
      const char dimension = report_.sweep->dimension;
      std::ranges::sort(shapes, {}, [dimension](const devices::GemmShape& shape) {
        return dimension == 'm' ? shape.m : (dimension == 'k' ? shape.k : shape.n);
      });
    }
    std::vector<std::vector<CompareRow>> rows(shapes.size());
    for (const auto& table : tables_) {
      std::vector<std::vector<CompareRow>> more = table->products(shapes);
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        rows[i].insert(rows[i].end(), more[i].begin(), more[i].end());
      }
    }
    for (std::vector<CompareRow>& of_shape : rows) append(std::move(of_shape));
  }

  std::vector<std::unique_ptr<CompareTable>> tables_;
  CompareReport report_;
};

}  // namespace

void check_is_no_measurement(const std::string& file) {
  std::optional<FileFormat> format;
  try {
    format = measurements::read_measurements(file).format;
  } catch (const InputError&) {
    return;
  }
  if (!is_table(*format)) refuse_measurements(file, *format);
}

CompareReport compare_tables(const std::vector<std::string>& files) {
  return TableReport(files).report();
}

}  // namespace weft::runtime
