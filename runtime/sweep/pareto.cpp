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
#include "sim/config/config_keys.h"

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

constexpr std::size_t kWorkColumns = 6;

const std::array<std::size_t, kWorkColumns>& work_columns() {
  static const std::array<std::size_t, kWorkColumns> kColumns = {
      column_index("workload"), column_index("m"),     column_index("k"),
      column_index("n"),        column_index("batch"), column_index("energies")};
  return kColumns;
}

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

bool needs_energies(const Metric& metric) {
  return metric.column == "energy_j" || metric.column == "area_mm2";
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

std::string work_of(std::span<const Cell> row, bool priced) {
  const auto& [workload, m, k, n, batch, energies] = work_columns();
  std::string work = to_text(row[workload]);
  if (work.starts_with("run ")) work.erase(0, 4);
  for (const std::size_t size : {m, k, n}) {
    if (const std::string text = to_text(row[size]); !text.empty()) work += ' ' + text;
  }
  if (const std::string images = to_text(row[batch]); !images.empty()) work += ", batch " + images;
  if (!priced) return work;
  const std::string table = to_text(row[energies]);
  return table.empty() ? work : work + ", energies of " + table;
}

Fronts::Fronts(std::vector<Metric> metrics)
    : metrics_(std::move(metrics)), priced_(std::ranges::any_of(metrics_, needs_energies)) {}

void Fronts::sort_by_work() {
  const auto work = [](const Front& front) {
    std::array<Cell, kWorkColumns> cells;
    std::ranges::transform(work_columns(), cells.begin(),
                           [&](std::size_t column) { return front.first[column]; });
    return cells;
  };
  std::ranges::stable_sort(fronts_, {}, work);
}

void Fronts::add(std::span<const Cell> row) {
  static const std::size_t kError = column_index("error");
  std::string work = work_of(row, priced_);
  auto front = std::ranges::find(fronts_, work, &Front::work);
  if (front == fronts_.end()) {
    Front made;
    made.work = std::move(work);
    front = fronts_.insert(front, std::move(made));
  }
  note_columns(*front, row);
  if (std::holds_alternative<std::string>(row[kError])) ++front->failed;
  std::vector<double> costs;
  for (const Metric& metric : metrics_) costs.push_back(cost(metric, row));
  if (!covers(costs, costs)) return;  // a NaN
  std::vector<Entry>& entries = front->entries;
  const auto beats = [&](const Entry& entry) { return covers(entry.costs, costs); };
  if (const auto better = std::ranges::find_if(entries, beats); better != entries.end()) {
    if (better->costs == costs) ++better->equals;
    return;
  }
  std::erase_if(entries, [&](const Entry& entry) { return covers(costs, entry.costs); });
  const auto place = std::ranges::upper_bound(entries, costs, {}, &Entry::costs);
  entries.insert(place, {std::move(costs), {row.begin(), row.end()}});
}

void Fronts::note_columns(Front& front, std::span<const Cell> row) {
  static const std::size_t kName = column_index("machine_name");
  static const std::size_t kEnergies = column_index("energies");
  ++front.rows;
  if (front.first.empty()) {
    front.first.assign(row.begin(), row.end());
    front.varies.resize(row.size());
    front.departs.resize(row.size());
  }
  const std::vector<Cell>& own = preset(to_text(row[kName]));
  for (std::size_t i = column_index("engine"); i < column_index("peak_macs"); ++i) {
    if (i == kEnergies && !priced_) continue;
    if (row[i] != front.first[i]) front.varies[i] = true;
    const bool is_preset = i == kName || (i > kName && !own.empty() && row[i] == own[i - kName]);
    if (!is_preset) front.departs[i] = true;
  }
}

const std::vector<Cell>& Fronts::preset(const std::string& name) {
  static const std::vector<std::string> kNames = preset_names();
  static const std::vector<Cell> kNone;
  if (std::ranges::find(kNames, name) == kNames.end()) return kNone;
  const auto [found, is_new] = presets_.try_emplace(name);
  if (is_new) found->second = key_cells(load_preset(name));
  return found->second;
}

std::vector<std::size_t> Fronts::telling_columns(const Front& front) {
  static const std::size_t kName = column_index("machine_name");
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < front.varies.size(); ++i) {
    if (front.varies[i] && (front.departs[i] || i == kName)) columns.push_back(i);
  }
  return columns;
}

}  // namespace weft::sweep
