#include "runtime/sweep/sweep.h"

#include <chrono>
#include <map>
#include <utility>

#include "base/error.h"

namespace weft::sweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience(100);
/// A commit waits for the disk, so fast points share one.
constexpr std::chrono::milliseconds kBetweenCommits(800);
/// While points run, a commit that another program holds up is not waited for.
constexpr std::chrono::milliseconds kNoPatience(20);
/// In the end there is nothing else to do, and what is not written is lost.
constexpr std::chrono::minutes kLastPatience(10);

bool failed(std::span<const Cell> row) {
  static const std::size_t kError = column_index("error");
  return std::holds_alternative<std::string>(row[kError]);
}

class Run {
 public:
  Run(const Space& space, Source& source, Store& store, Workers& workers,
      const std::function<void(const Counts&)>& progress)
      : space_(space), source_(source), store_(store), workers_(workers), progress_(progress) {}

  Counts run() {
    while (true) {
      count_seconds();
      start_points();
      count_seconds();
      if (!busy_ && source_.ended()) break;
      // What was told may lead to further points, and a source that looks for one is asked again.
      if (busy_) gather();
      commit();
      progress_(counts_);
    }
    commit_last();
    return counts_;
  }

 private:
  /// Counts the time since the last call if points ran all the while.
  void count_seconds() {
    const Clock::time_point now = Clock::now();
    if (busy_) counts_.seconds += std::chrono::duration<double>(now - last_).count();
    busy_ = workers_.running() > 0;
    last_ = now;
  }

  void start_points() {
    while (workers_.free() > 0) {
      std::optional<Point> point = source_.next();
      if (!point) return;
      if (const std::vector<Cell> row = store_.row(space_.identity(*point)); !row.empty()) {
        ++counts_.known;
        note(*point, row);
        progress_(counts_);
        continue;
      }
      const std::uint64_t number = point->number;
      workers_.start(number);
      running_.insert_or_assign(number, *std::move(point));
    }
  }

  void gather() {
    const auto patience = source_.looking() ? std::chrono::milliseconds(0) : kPatience;
    std::string missing;
    for (const Outcome& outcome : workers_.wait(patience)) {
      if (outcome.missing) {
        missing = outcome.error;
        continue;
      }
      const auto point = running_.extract(outcome.number);
      const std::vector<Cell> row = row_of(space_, point.mapped(), outcome);
      store_.add(row);
      ++counts_.computed;
      note(point.mapped(), row);
    }
    if (missing.empty()) return;
    commit_last();
    throw MissingError(missing);
  }

  void note(const Point& point, std::span<const Cell> row) {
    if (failed(row)) ++counts_.failed;
    source_.tell(point, row);
  }

  void commit() {
    if (Clock::now() - committed_ < kBetweenCommits) return;
    counts_.unwritten = store_.try_commit(kNoPatience) ? 0 : store_.unwritten();
    committed_ = Clock::now();
  }

  void commit_last() {
    const Clock::time_point until = Clock::now() + kLastPatience;
    while (!store_.try_commit(kBetweenCommits) && Clock::now() < until) {
      counts_.unwritten = store_.unwritten();
      progress_(counts_);
    }
    store_.commit();
  }

  const Space& space_;
  Source& source_;
  Store& store_;
  Workers& workers_;
  const std::function<void(const Counts&)>& progress_;
  Counts counts_;
  std::map<std::uint64_t, Point> running_;
  Clock::time_point committed_ = Clock::now();
  bool busy_ = false;  // points ran at `last_`
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Counts run(const Space& space, Source& source, Store& store, Workers& workers,
           const std::function<void(const Counts&)>& progress) {
  return Run(space, source, store, workers, progress).run();
}

}  // namespace weft::sweep
