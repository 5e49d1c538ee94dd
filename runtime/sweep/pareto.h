// The points of a sweep that no other beats: the Pareto front.
#pragma once

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

/// The value of a metric in a row, negative if more is better, so that less always is; NaN for a
/// point that failed or has no such figure.
double cost(const Metric& metric, std::span<const Cell> row);

/// True if a point with the costs `a` is at most as large as one with `b` everywhere. False if
/// either has a NaN.
bool covers(std::span<const double> a, std::span<const double> b);

/// What the row's figures are of, for people: "matmul 512 512 512", "resnet50, batch 8". Only rows
/// of the same work compete.
std::string work_of(std::span<const Cell> row);

/// The Pareto fronts of rows that come one by one. Only rows of the same work compete: of one
/// workload with the same sizes and batch. Memory depends on the fronts, not on the rows.
class Fronts {
 public:
  struct Entry {
    std::vector<double> costs;
    std::vector<Cell> row;
  };
  struct Front {
    std::string work;            // "resnet50, batch 8"
    std::vector<Entry> entries;  // ascending by their costs
  };

  explicit Fronts(std::vector<Metric> metrics) : metrics_(std::move(metrics)) {}

  /// Of rows with equal costs the first stays. A row that failed or has no such figure is left out.
  void add(std::span<const Cell> row);

  const std::vector<Metric>& metrics() const { return metrics_; }
  /// In the order of their first rows.
  const std::vector<Front>& fronts() const { return fronts_; }

 private:
  std::vector<Metric> metrics_;
  std::vector<Front> fronts_;
};

}  // namespace weft::sweep
