// The points of a sweep that no other beats: the Pareto front.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/sweep/columns.h"

namespace weft::sweep {

/// What a front can weigh.
struct Metric {
  std::string_view name;    // as users give it: "time"
  std::string_view column;  // of the table
  std::string_view label;   // with its unit: "time, s"
  bool more_is_better = false;
};

/// cycles, time, energy, area, bandwidth, share, macs: docs/sweep.md.
std::span<const Metric> metrics();
/// Throws InputError with all names, or the similar one.
const Metric& find_metric(std::string_view name);

/// True for figures that only a table of energies gives.
bool needs_energies(const Metric& metric);

/// The value of a metric in a row, negative if more is better, so that less always is; NaN for a
/// point that failed or has no such figure.
double cost(const Metric& metric, std::span<const Cell> row);

/// True if a point with the costs `a` is at most as large as one with `b` everywhere. False if
/// either has a NaN.
bool covers(std::span<const double> a, std::span<const double> b);

/// What the row's figures are of, for people: "matmul 512 512 512", "resnet50, batch 8", and if
/// they are priced, "resnet50, batch 8, energies of 28nm". Only rows of the same work compete:
/// joules of two tables say nothing about each other.
std::string work_of(std::span<const Cell> row, bool priced);

/// The Pareto fronts of rows that come one by one. Only rows of the same work compete: of one
/// workload with the same sizes and batch, and if a metric needs energies, priced by one table.
/// Memory depends on the fronts, not on the rows.
class Fronts {
 public:
  struct Entry {
    std::vector<double> costs;
    std::vector<Cell> row;
    std::uint64_t equals = 0;  // further rows with these costs
  };
  struct Front {
    std::string work;            // "resnet50, batch 8"
    std::vector<Entry> entries;  // ascending by their costs
    std::vector<Cell> first;     // the first row of the work
    std::vector<bool> varies;    // of each column: not all rows have the same cell
    std::vector<bool> departs;   // of each column: some row has not the cell of its preset
    std::uint64_t failed = 0;
    std::uint64_t rows = 0;
  };

  explicit Fronts(std::vector<Metric> metrics);

  /// Of rows with equal costs the first stays. A row that failed or has no such figure is left out.
  void add(std::span<const Cell> row);

  const std::vector<Metric>& metrics() const { return metrics_; }
  /// In the order of their first rows, or by workload, sizes, batch and energies once sorted.
  const std::vector<Front>& fronts() const { return fronts_; }
  void sort_by_work();
  /// The columns that say which point of the work a row is: those of what was asked for in which
  /// rows of the work differ. A key is not among them if every row has the value of the preset that
  /// machine_name names.
  static std::vector<std::size_t> telling_columns(const Front& front);

 private:
  void note_columns(Front& front, std::span<const Cell> row);
  /// The cells of the preset's keys; empty if there is no such preset.
  const std::vector<Cell>& preset(const std::string& name);

  std::vector<Metric> metrics_;
  bool priced_;  // a metric needs energies
  std::map<std::string, std::vector<Cell>> presets_;
  std::vector<Front> fronts_;
};

}  // namespace weft::sweep
