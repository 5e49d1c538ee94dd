#include "report/sweep/page/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "report/sweep/page/page_column.h"
#include "report/sweep/page/page_sample.h"
#include "report/text.h"

namespace weft::report {
namespace {

using sweep::Cell;

/// The page shows these otherwise: the identity repeats the other columns.
constexpr std::string_view kIdentity = "identity";
constexpr std::string_view kCommand = "command";

/// All rows of the database pass; those of the sample stay.
class PageRows {
 public:
  explicit PageRows(std::optional<PageSample> sample)
      : sample_(std::move(sample)), columns_(sweep::columns().size()) {}

  void add(std::span<const Cell> row) {
    static const std::size_t kError = sweep::column_index("error");
    if (row[kError] != Cell()) ++failed_;
    if (keeps(count_++)) keep(row);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t failed() const { return failed_; }

  Json json() const {
    Json metrics = Json::array();
    for (const sweep::Metric& metric : sweep::metrics()) {
      metrics.push_back({{"column", metric.column},
                         {"label", metric.label},
                         {"more_is_better", metric.more_is_better}});
    }
    Json points = {{"count", kept_},           {"of", count_},
                   {"failed", failed_},        {"metrics", std::move(metrics)},
                   {"work", works_.json()},    {"command", commands_.json()},
                   {"columns", columns_json()}};
    if (sample_) points["number"] = numbers_.json();
    return points;
  }

 private:
  bool keeps(std::uint64_t number) {
    if (!sample_) return true;
    return kept_ < sample_->rows.size() && sample_->rows[kept_] == number;
  }

  void keep(std::span<const Cell> row) {
    static const std::size_t kCommandColumn = sweep::column_index(kCommand);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view name = sweep::columns()[i].name;
      if (name != kIdentity && name != kCommand) columns_[i].add(row[i]);
    }
    works_.add(sweep::work_of(row, true));
    commands_.add(sweep::to_text(row[kCommandColumn]));
    numbers_.add(static_cast<std::int64_t>(count_));  // from 1
    ++kept_;
  }

  Json columns_json() const {
    // What was asked for stands before what was found.
    const std::size_t first = sweep::column_index("kind");
    const std::size_t end = sweep::column_index("peak_macs");
    Json columns = Json::array();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view name = sweep::columns()[i].name;
      if (name == kIdentity || name == kCommand) continue;
      Json column = {{"name", name}, {"asked", first <= i && i < end}};
      column.update(columns_[i].json());
      columns.push_back(std::move(column));
    }
    return columns;
  }

  std::optional<PageSample> sample_;
  std::vector<PageColumn> columns_;
  PageColumn works_;
  PageTexts commands_;
  PageColumn numbers_;
  std::uint64_t count_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t kept_ = 0;
};

std::string sample_note(const PageSample& sample, std::uint64_t count) {
  const std::string_view rest = sample.has_fronts
                                    ? "all points on a Pareto front of two figures, and an even "
                                      "sample of the others. Fronts are those of the whole "
                                      "database; counts, heat map and table are of the sample."
                                    : "an even sample. The database may have better points than "
                                      "the fronts show.";
  return fmt::format("The database has {} points. The page lists {} of them: {}", grouped(count),
                     grouped(sample.rows.size()), rest);
}

}  // namespace

Json sweep_page_data(sweep::Store& store, std::span<const sweep::Metric> front,
                     const std::string& command_line, const std::function<void(double)>& progress,
                     std::uint64_t most) {
  const std::uint64_t total = store.count();
  const bool samples = total > most;
  std::uint64_t read = 0;
  const auto count_one = [&] {
    const std::uint64_t all = std::max(total * (samples ? 2 : 1), ++read);
    progress(static_cast<double>(read) / static_cast<double>(all));
  };
  std::optional<PageSample> sample;
  if (samples) sample = sample_rows(store, most, [&](std::uint64_t) { count_one(); });
  Json notes = Json::array();
  if (sample) notes.push_back(sample_note(*sample, total));
  PageRows rows(std::move(sample));
  store.for_each([&](std::span<const Cell> row) {
    rows.add(row);
    count_one();
  });
  const std::string name = std::filesystem::path(store.file()).filename().string();
  std::string line = counted(rows.count(), "point");
  if (rows.failed() > 0) line += fmt::format(", {} failed", grouped(rows.failed()));
  Json points = rows.json();
  points["front"] = Json::array();
  for (const sweep::Metric& metric : front) points["front"].push_back(metric.column);
  return {{"title", "sweep " + name},
          {"lines", {line}},
          {"command", command_line},
          {"notes", std::move(notes)},
          {"points", std::move(points)}};
}

}  // namespace weft::report
