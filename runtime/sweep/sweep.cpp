#include "runtime/sweep/sweep.h"

#include <chrono>
#include <map>
#include <utility>

namespace weft::sweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience(100);
/// A commit waits for the disk, so fast points share one.
constexpr std::chrono::milliseconds kBetweenCommits(500);

bool failed(std::span<const Cell> row) {
  static const std::size_t kError = column_index("error");
  return std::holds_alternative<std::string>(row[kError]);
}

}  // namespace

Counts run(const Space& space, Source& source, Store& store, Workers& workers,
           const std::function<void(const Counts&)>& progress) {
  Counts counts;
  std::map<std::uint64_t, Point> running;
  Clock::time_point committed = Clock::now();
  const auto note = [&](const Point& point, std::span<const Cell> row) {
    if (failed(row)) ++counts.failed;
    source.tell(point, row);
  };
  while (true) {
    while (workers.free() > 0) {
      std::optional<Point> point = source.next();
      if (!point) break;
      if (const std::vector<Cell> row = store.row(space.identity(*point)); !row.empty()) {
        ++counts.known;
        note(*point, row);
        progress(counts);
        continue;
      }
      workers.start(point->number);
      running.insert_or_assign(point->number, *std::move(point));
    }
    if (workers.running() == 0) {
      if (source.ended()) break;
      continue;  // what was told may lead to further points
    }
    for (const Outcome& outcome : workers.wait(kPatience)) {
      const auto point = running.extract(outcome.number);
      const std::vector<Cell> row = row_of(space, point.mapped(), outcome);
      store.add(row);
      ++counts.computed;
      note(point.mapped(), row);
    }
    if (Clock::now() - committed > kBetweenCommits) {
      store.commit();
      committed = Clock::now();
    }
    progress(counts);
  }
  store.commit();
  return counts;
}

}  // namespace weft::sweep
