#include "runtime/sweep/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"
#include "base/version.h"
#include "sim/config/config_keys.h"

namespace weft::sweep {
namespace {

/// A key's value: a number where it is one, so that SQL compares it as one.
Cell key_cell(const ConfigKey& key, const MachineConfig& machine) {
  std::string text = key.print(machine);
  if (!key.decimals) return text;
  const auto scaled = static_cast<std::int64_t>(*parse_decimal(text, *key.decimals));
  if (*key.decimals == 0) return scaled;
  return static_cast<double>(scaled) / std::pow(10, *key.decimals);
}

std::string_view key_type(const ConfigKey& key) {
  if (!key.decimals) return "TEXT";
  return *key.decimals > 0 ? "REAL" : "INTEGER";
}

std::string column_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

template <std::integral Count>
Cell count(Count value) {
  return static_cast<std::int64_t>(value);
}

Cell measure(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

using Row = std::vector<Cell>;

std::string command_of(const Space& space, const Point& point) {
  return "weft " + shell_line(space.command(point));
}

/// What was asked for. The order is that of request_columns().
void add_request(Row& row, const Space& space, const Point& point) {
  const Workload& workload = space.request().workloads[point.workload];
  row.emplace_back(space.identity(point));
  row.emplace_back(std::string(version()));
  row.emplace_back(command_of(space, point));
  row.emplace_back(std::string(workload.kind()));
  const bool product = std::holds_alternative<MatmulSpec>(workload.shape);
  row.emplace_back(space.axes().front().values[point.workload]);
  for (const std::uint64_t size : {point.product.m, point.product.k, point.product.n}) {
    row.push_back(product ? count(size) : Cell());
  }
  const std::optional<std::int64_t> batch = space.batch_of(point);
  row.push_back(batch ? Cell(*batch) : Cell());
  row.emplace_back(std::string(to_string(space.request().engine)));
  row.emplace_back(static_cast<std::int64_t>(space.request().effort));
  const std::string energies = space.energies_of(point);
  row.push_back(energies.empty() ? Cell() : Cell(energies));
  for (const ConfigKey& key : config_keys()) {
    row.push_back(point.refuses(key.name) ? Cell() : key_cell(key, point.machine));
  }
  const bool has_array = !point.refuses("array.rows") && !point.refuses("array.cols");
  const std::uint64_t macs = std::uint64_t{point.machine.array_rows} * point.machine.array_cols;
  row.push_back(has_array ? count(macs) : Cell());
}

void add_request_columns(std::vector<Column>& all) {
  for (const char* name : {"identity", "weft", "command", "kind", "workload"}) {
    all.push_back({name, "TEXT"});
  }
  for (const char* name : {"m", "k", "n", "batch"}) all.push_back({name, "INTEGER"});
  all.push_back({"engine", "TEXT"});
  all.push_back({"optimize", "INTEGER"});
  all.push_back({"energies", "TEXT"});
  for (const ConfigKey& key : config_keys()) {
    all.push_back({column_name(key.name), key_type(key)});
  }
  all.push_back({"peak_macs", "INTEGER"});
}

/// What was found. The order is that of figure_columns().
void add_figures(Row& row, const Point& point, const Figures& figures) {
  const auto macs_of_array =
      static_cast<double>(figures.cycles) * point.machine.array_rows * point.machine.array_cols;
  row.push_back(count(figures.cycles));
  row.emplace_back(static_cast<double>(figures.cycles) /
                   static_cast<double>(point.machine.clock_hz));
  row.push_back(figures.bound > 0 ? count(figures.bound) : Cell());
  row.push_back(figures.bound > 0 ? Cell(std::string(to_string(figures.bound_by))) : Cell());
  row.push_back(figures.bound > 0 ? Cell(ratio(static_cast<double>(figures.bound),
                                               static_cast<double>(figures.cycles)))
                                  : Cell());
  row.emplace_back(ratio(static_cast<double>(figures.useful_macs), macs_of_array));
  row.push_back(measure(figures.joules));
  row.push_back(measure(figures.static_joules));
  row.push_back(measure(figures.area_mm2));
  row.push_back(count(figures.useful_macs));
  row.push_back(count(figures.issued_macs));
  row.push_back(count(figures.traffic.weight_bytes));
  row.push_back(count(figures.traffic.input_bytes));
  row.push_back(count(figures.traffic.output_bytes));
  for (const LedgerClass& entry : kLedgerClasses) {
    row.push_back(count(figures.ledger.*entry.cycles));
  }
  for (const Cycle cycles : figures.path.cycles) row.push_back(count(cycles));
  row.push_back(count(figures.instructions));
  row.push_back(count(figures.programs));
  row.push_back(count(figures.layers));
  row.push_back(count(figures.host_layers));
}

std::size_t add_figure_columns(std::vector<Column>& all) {
  const std::size_t first = all.size();
  all.push_back({"cycles", "INTEGER"});
  all.push_back({"time_s", "REAL"});
  all.push_back({"bound", "INTEGER"});
  all.push_back({"bound_by", "TEXT"});
  all.push_back({"share_of_bound", "REAL"});
  for (const char* name : {"utilization", "energy_j", "static_energy_j", "area_mm2"}) {
    all.push_back({name, "REAL"});
  }
  for (const char* name :
       {"useful_macs", "issued_macs", "weight_bytes", "input_bytes", "output_bytes"}) {
    all.push_back({name, "INTEGER"});
  }
  for (const LedgerClass& entry : kLedgerClasses) {
    all.push_back({fmt::format("ledger_{}", entry.name), "INTEGER"});
  }
  for (const PathPartName& part : kPathPartNames) {
    all.push_back({fmt::format("path_{}", part.key), "INTEGER"});
  }
  for (const char* name : {"instructions", "programs", "layers", "host_layers"}) {
    all.push_back({name, "INTEGER"});
  }
  return all.size() - first;
}

struct Table {
  std::vector<Column> columns;
  std::size_t figures = 0;  // how many are figures

  Table() {
    add_request_columns(columns);
    figures = add_figure_columns(columns);
    columns.push_back({"error", "TEXT"});
    columns.push_back({"seconds", "REAL"});
  }
};

const Table& table() {
  static const Table the_table;
  return the_table;
}

}  // namespace

std::span<const Column> columns() {
  return table().columns;
}

std::size_t column_index(std::string_view name) {
  const auto& all = table().columns;
  const auto found = std::ranges::find(all, name, &Column::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const Column& column : all) names.push_back(column.name);
  const std::string meant = most_similar(name, names);
  throw InputError(
      fmt::format("{}: no column of a sweep; {}", printable(name),
                  meant.empty() ? "docs/sweep.md lists them" : "did you mean " + meant + "?"));
}

std::vector<Cell> row_of(const Space& space, const Point& point, const Outcome& outcome) {
  Row row;
  row.reserve(columns().size());
  add_request(row, space, point);
  if (outcome.error.empty()) {
    add_figures(row, point, outcome.figures);
    row.emplace_back();
  } else {
    row.resize(row.size() + table().figures);
    row.emplace_back(outcome.error);
  }
  row.emplace_back(outcome.seconds);
  return row;
}

void name_as_here(std::vector<Cell>& row, const Space& space, const Point& point) {
  static const std::size_t kCommand = column_index("command");
  static const std::size_t kWorkload = column_index("workload");
  const Cell here = space.axes().front().values[point.workload];
  if (row[kWorkload] == here) return;
  row[kWorkload] = here;
  row[kCommand] = command_of(space, point);
}

std::vector<Cell> key_cells(const MachineConfig& machine) {
  std::vector<Cell> cells;
  for (const ConfigKey& key : config_keys()) cells.push_back(key_cell(key, machine));
  return cells;
}

std::string to_text(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : std::string();
}

}  // namespace weft::sweep
