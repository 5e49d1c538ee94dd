#include "runtime/compare/imported/measured_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "runtime/compare/imported/layer_matches.h"
#include "runtime/compare/imported/run_times.h"

namespace weft::runtime {
namespace {

using measurements::Measurement;

std::string operands_of(const Measurement& measured) {
  if (!measured.operands.empty()) return measured.operands;
  return measured.shape ? measurements::shape_text(*measured.shape) : std::string();
}

}  // namespace

MeasuredFile::MeasuredFile(measurements::MeasurementFile file, bool in_order)
    : file_(std::move(file)), in_order_(in_order), matched_(file_.measurements.size(), false) {
  const auto lacks_shape = [](const Measurement& each) {
    return each.is_product && !each.shape && !each.conv;
  };
  if (in_order && std::ranges::none_of(file_.measurements, lacks_shape)) {
    throw InputError(fmt::format(
        "{}: --in-order: no kernel without a shape has a name that says that it multiplies; drop "
        "--in-order",
        file_.file));
  }
}

/// A convolution is no product, even if its im2col matrix has the same sizes.
bool MeasuredFile::is_product_of(const Measurement& measured,
                                 const devices::GemmShape& shape) const {
  if (measured.shape) return *measured.shape == shape && !measured.conv;
  return in_order_ && measured.is_product && !measured.conv;
}

std::vector<MeasuredFile::Column> MeasuredFile::columns_of(
    const std::vector<devices::GemmShape>& shapes) const {
  std::vector<Column> columns;
  for (const Measurement& measured : file_.measurements) {
    const Column column{measured.device, measured.format};
    if (std::ranges::find(columns, column) != columns.end()) continue;
    const bool matches = std::ranges::any_of(
        shapes, [&](const devices::GemmShape& shape) { return is_product_of(measured, shape); });
    if (matches) columns.push_back(column);
  }
  return columns;
}

CompareRow MeasuredFile::empty_row(const Column& column) const {
  CompareRow row;
  row.kind = RowKind::kImported;
  row.format = column.format;
  row.title = file_.devices[column.device];
  if (row.title.empty()) row.title = "a device";
  row.device = row.title;
  row.details = {{"file", file_.file}, {"format", measurements::title_of(file_.format)}};
  return row;
}

CompareRow MeasuredFile::product_row(const Column& column, const devices::GemmShape& shape) {
  RunTimes times;
  for (std::size_t i = 0; i < file_.measurements.size(); ++i) {
    const Measurement& measured = file_.measurements[i];
    if (Column{measured.device, measured.format} != column) continue;
    if (!is_product_of(measured, shape)) continue;
    times.add(measured);
    matched_[i] = true;
  }
  CompareRow row = empty_row(column);
  row.shape = shape;
  row.flop = devices::useful_flop(shape);
  if (times.empty()) {
    row.basis = fmt::format("{} does not have this product", file_.file);
    return row;
  }
  row.seconds = times.seconds();
  row.basis = fmt::format("from {}: {}; {}", file_.file, times.text(), file_.time_of);
  row.details.update(times.json());
  return row;
}

std::vector<std::vector<CompareRow>> MeasuredFile::products(
    const std::vector<devices::GemmShape>& shapes) {
  std::vector<std::vector<CompareRow>> rows(shapes.size());
  for (const Column& column : columns_of(shapes)) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      rows[i].push_back(product_row(column, shapes[i]));
    }
  }
  return rows;
}

std::vector<CompareRow> MeasuredFile::network(const ComparedNetwork& network,
                                              const graph::Graph& graph, double flop) {
  std::vector<Column> columns;
  for (const Measurement& measured : file_.measurements) {
    const Column column{measured.device, measured.format};
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  }
  std::vector<CompareRow> rows;
  for (const Column& column : columns) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < file_.measurements.size(); ++i) {
      const Measurement& measured = file_.measurements[i];
      if (Column{measured.device, measured.format} == column) candidates.push_back(i);
    }
    LayerMatches matches(file_, candidates, graph, in_order_);
    if (matches.empty()) continue;
    for (const std::size_t i : matches.used()) matched_[i] = true;
    CompareRow row = empty_row(column);
    row.flop = matches.flop();
    row.seconds = matches.seconds();
    row.basis = fmt::format("from {}: {}; {}", file_.file, matches.text(flop), file_.time_of);
    row.details.update(matches.json());
    row.results = static_cast<double>(network.batch);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ImportedFile> MeasuredFile::summaries() const {
  ImportedFile summary;
  summary.file = file_.file;
  summary.format = measurements::title_of(file_.format);
  summary.time_of = file_.time_of;
  summary.notes = file_.notes;
  for (const std::string& device : file_.devices) summary.devices.push_back({device});
  for (std::size_t i = 0; i < file_.measurements.size(); ++i) {
    const Measurement& measured = file_.measurements[i];
    ImportedDevice& device = summary.devices[measured.device];
    device.seconds += measured.total;
    if (matched_[i]) {
      device.matched_seconds += measured.total;
    } else {
      summary.unmatched.push_back(
          {device.name, measured.name, operands_of(measured), measured.count, measured.total});
    }
  }
  std::ranges::stable_sort(summary.unmatched, std::ranges::greater{}, &UnmatchedTime::seconds);
  return {std::move(summary)};
}

std::vector<std::string> MeasuredFile::known_products() const {
  std::vector<std::string> known;
  std::unordered_set<std::string> seen;
  for (const Measurement& measured : file_.measurements) {
    if (!measured.shape || measured.conv) continue;
    const std::string text = measurements::shape_text(*measured.shape);
    if (seen.insert(text).second) known.push_back(text);
  }
  return known;
}

}  // namespace weft::runtime
