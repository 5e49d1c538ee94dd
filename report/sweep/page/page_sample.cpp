#include "report/sweep/page/page_sample.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>

#include "runtime/sweep/pareto.h"

namespace weft::report {
namespace {

using sweep::Cell;

struct FrontRow {
  std::array<double, 2> costs;
  std::uint64_t row = 0;
};

/// Keeps the rows that no other beats; of rows with equal costs the first. sweep::Fronts would also
/// keep their cells, once for each pair of figures.
void add_to(std::vector<FrontRow>& front, const FrontRow& entry) {
  if (!sweep::covers(entry.costs, entry.costs)) return;  // a NaN
  const auto beats = [&](const FrontRow& other) { return sweep::covers(other.costs, entry.costs); };
  if (std::ranges::any_of(front, beats)) return;
  std::erase_if(front,
                [&](const FrontRow& other) { return sweep::covers(entry.costs, other.costs); });
  front.push_back(entry);
}

/// The fronts of every two figures, for each workload.
class AllFronts {
 public:
  explicit AllFronts(std::uint64_t most_workloads) : most_(most_workloads) {}

  void add(std::span<const Cell> row, std::uint64_t number) {
    if (too_many_) return;
    const std::span<const sweep::Metric> metrics = sweep::metrics();
    std::vector<double> costs;
    for (const sweep::Metric& metric : metrics) costs.push_back(sweep::cost(metric, row));
    auto& fronts = fronts_[sweep::work_of(row, true)];
    fronts.resize(metrics.size() * metrics.size());
    for (std::size_t x = 0; x < metrics.size(); ++x) {
      for (std::size_t y = x + 1; y < metrics.size(); ++y) {
        add_to(fronts[x * metrics.size() + y], {{costs[x], costs[y]}, number});
      }
    }
    too_many_ = fronts_.size() > most_;
  }

  bool too_many() const { return too_many_; }

  /// The numbers of the rows, ascending, each once.
  std::vector<std::uint64_t> rows() const {
    std::vector<std::uint64_t> rows;
    for (const auto& [work, fronts] : fronts_) {
      for (const auto& front : fronts) {
        for (const FrontRow& entry : front) rows.push_back(entry.row);
      }
    }
    std::ranges::sort(rows);
    // Clang 14 cannot compile libstdc++'s std::ranges::unique().
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }

 private:
  std::uint64_t most_;
  bool too_many_ = false;
  std::unordered_map<std::string, std::vector<std::vector<FrontRow>>> fronts_;
};

}  // namespace

PageSample sample_rows(sweep::Store& store, std::uint64_t most,
                       const std::function<void(std::uint64_t)>& read) {
  PageSample sample;
  AllFronts fronts(most);
  std::uint64_t count = 0;
  store.for_each([&](std::span<const Cell> row) {
    fronts.add(row, count);
    read(++count);
  });
  std::vector<std::uint64_t> first = fronts.rows();
  sample.has_fronts = !fronts.too_many() && first.size() <= most;
  if (!sample.has_fronts) first.clear();
  const std::uint64_t others = count - first.size();
  const std::uint64_t wanted = std::min(most - first.size(), others);
  std::uint64_t other = 0;
  for (std::uint64_t row = 0, at = 0; row < count; ++row) {
    if (at < first.size() && first[at] == row) {
      sample.rows.push_back(row);
      ++at;
      continue;
    }
    const bool takes = (other + 1) * wanted / others > other * wanted / others;
    if (takes) sample.rows.push_back(row);
    ++other;
  }
  return sample;
}

}  // namespace weft::report
