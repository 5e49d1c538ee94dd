// Where the points of a sweep run: processes of this computer, or ranks of an MPI job.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/sweep/points/figures.h"

namespace weft::sweep {

class Workers {
 public:
  Workers() = default;
  virtual ~Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// How many further points start() takes now.
  virtual std::size_t free() const = 0;
  /// How many points were started whose outcome wait() has not returned.
  virtual std::size_t running() const = 0;
  /// The point with this number runs as soon as a worker is free. free() must not be 0.
  virtual void start(std::uint64_t number) = 0;
  /// The outcomes that are there, after at most `patience`. Throws InputError if no worker is left.
  virtual std::vector<Outcome> wait(std::chrono::milliseconds patience) = 0;
};

/// How many points a worker may hold; it runs one at a time. Enough that it never waits for the
/// next one, and few enough that slow points are not left to one worker in the end.
class Depth {
 public:
  void add(double seconds) {
    ++outcomes_;
    seconds_ += seconds;
  }
  std::size_t points() const {
    if (outcomes_ == 0) return 1;
    const double mean = seconds_ / static_cast<double>(outcomes_);
    return mean > 1 ? 1 : mean > 0.01 ? 2 : 16;
  }

 private:
  std::uint64_t outcomes_ = 0;
  double seconds_ = 0;
};

}  // namespace weft::sweep
