#include "runtime/sweep/pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"

namespace weft::sweep {
namespace {

constexpr std::array<Metric, 8> kMetrics = {{
    {"cycles", "cycles", "cycles"},
    {"time", "time_s", "time, s"},
    {"energy", "energy_j", "energy, J"},
    {"area", "area_mm2", "area of the array, mm2"},
    {"bandwidth", "memory_gb_per_s", "memory bandwidth, GB/s"},
    {"buffer", "unified_buffer_kib", "unified buffer, KiB"},
    {"macs", "peak_macs", "multiply-accumulates a cycle"},
    {"share", "share_of_bound", "share of the bound", true},
}};

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric& find_metric(std::string_view name) {
  const auto found = std::ranges::find(kMetrics, name, &Metric::name);
  if (found != kMetrics.end()) return *found;
  std::string all;
  for (const Metric& metric : kMetrics) {
    if (!all.empty()) all += &metric == &kMetrics.back() ? " or " : ", ";
    all += metric.name;
  }
  throw InputError(fmt::format("{}: unknown figure; must be {}", printable(name), all));
}

double cost(const Metric& metric, std::span<const Cell> row) {
  static const std::size_t kError = column_index("error");
  if (std::holds_alternative<std::string>(row[kError])) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Cell& cell = row[column_index(metric.column)];
  const double sign = metric.more_is_better ? -1 : 1;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return sign * static_cast<double>(*whole);
  }
  if (const auto* real = std::get_if<double>(&cell)) return sign * *real;
  return std::numeric_limits<double>::quiet_NaN();
}

bool covers(std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] <= b[i])) return false;
  }
  return true;
}

std::string work_of(std::span<const Cell> row) {
  static const std::size_t kWorkload = column_index("workload");
  static const std::array<std::size_t, 3> kSizes = {column_index("m"), column_index("k"),
                                                    column_index("n")};
  static const std::size_t kBatch = column_index("batch");
  std::string work = to_text(row[kWorkload]);
  if (work.starts_with("run ")) work.erase(0, 4);
  for (const std::size_t size : kSizes) {
    if (const std::string text = to_text(row[size]); !text.empty()) work += ' ' + text;
  }
  if (const std::string batch = to_text(row[kBatch]); !batch.empty()) work += ", batch " + batch;
  return work;
}

void Fronts::add(std::span<const Cell> row) {
  std::string work = work_of(row);
  auto front = std::ranges::find(fronts_, work, &Front::work);
  if (front == fronts_.end()) front = fronts_.insert(front, Front{std::move(work), {}});
  std::vector<double> costs;
  for (const Metric& metric : metrics_) costs.push_back(cost(metric, row));
  if (!covers(costs, costs)) return;  // a NaN
  std::vector<Entry>& entries = front->entries;
  const auto beats = [&](const Entry& entry) { return covers(entry.costs, costs); };
  if (std::ranges::any_of(entries, beats)) return;
  std::erase_if(entries, [&](const Entry& entry) { return covers(costs, entry.costs); });
  const auto place = std::ranges::upper_bound(entries, costs, {}, &Entry::costs);
  entries.insert(place, {std::move(costs), {row.begin(), row.end()}});
}

}  // namespace weft::sweep
