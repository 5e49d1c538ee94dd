#include "runtime/sweep/workers/mpi_workers.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "runtime/sweep/points/point_runner.h"

namespace weft::sweep {
namespace {

/// MPI's own waiting keeps a core busy, which the points need.
constexpr std::chrono::microseconds kNap(200);

std::string number_bytes(std::uint64_t number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

std::uint64_t number_of_bytes(std::string_view bytes) {
  std::uint64_t number = 0;
  if (bytes.size() != sizeof(number)) throw SimulationError("a rank sent half a number");
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

}  // namespace

MpiWorkers::MpiWorkers(const Space& space, const Ranks& ranks)
    : space_(space),
      ranks_(ranks),
      points_(static_cast<std::size_t>(ranks.count())),
      thread_([this] { work(); }) {}

MpiWorkers::~MpiWorkers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  change_.notify_one();
  thread_.join();
}

std::size_t MpiWorkers::free() const {
  std::size_t room = 0;
  for (const std::size_t points : points_)
    room += depth_.points() - std::min(depth_.points(), points);
  return room;
}

std::size_t MpiWorkers::running() const {
  std::size_t all = 0;
  for (const std::size_t points : points_) all += points;
  return all;
}

void MpiWorkers::start(std::uint64_t number) {
  const auto rank = std::ranges::min_element(points_) - points_.begin();
  ++points_[static_cast<std::size_t>(rank)];
  if (rank > 0) return ranks_.send(static_cast<int>(rank), number_bytes(number));
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(number);
  }
  change_.notify_one();
}

std::vector<Outcome> MpiWorkers::wait(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::vector<Outcome> outcomes;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      std::ranges::move(done_, std::back_inserter(outcomes));
      points_[0] -= done_.size();
      done_.clear();
    }
    while (const auto message = ranks_.receive()) {
      outcomes.push_back(outcome_of(message->bytes));
      --points_[static_cast<std::size_t>(message->from)];
    }
    if (!outcomes.empty() || std::chrono::steady_clock::now() > until) break;
    std::this_thread::sleep_for(kNap);
  }
  for (const Outcome& outcome : outcomes) depth_.add(outcome.seconds);
  return outcomes;
}

void MpiWorkers::work() {
  PointRunner runner(space_);
  while (true) {
    std::uint64_t number = 0;
    {
      std::unique_lock lock(mutex_);
      change_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
      if (ends_) return;
      number = waiting_.front();
      waiting_.pop_front();
    }
    Outcome outcome = runner.run(*space_.point(number));
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(outcome));
  }
}

void serve(const Space& space, const Ranks& ranks) {
  PointRunner runner(space);
  while (true) {
    const auto message = ranks.receive();
    if (!message) {
      std::this_thread::sleep_for(kNap);
      continue;
    }
    if (message->bytes.empty()) return ranks.send(0, {});
    ranks.send(0, to_bytes(runner.run(*space.point(number_of_bytes(message->bytes)))));
  }
}

void release(const Ranks& ranks) {
  int busy = ranks.count() - 1;
  for (int rank = 1; rank <= busy; ++rank) ranks.send(rank, {});
  while (busy > 0) {
    const auto message = ranks.receive();
    if (!message) {
      std::this_thread::sleep_for(kNap);
    } else if (message->bytes.empty()) {
      --busy;
    }
  }
}

}  // namespace weft::sweep
