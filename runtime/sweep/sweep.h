// A sweep: points from a source run on workers, and their rows go to a store.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/sweep/source.h"
#include "runtime/sweep/store.h"
#include "runtime/sweep/workers/workers.h"

namespace weft::sweep {

struct Counts {
  std::uint64_t computed = 0;
  std::uint64_t known = 0;   // in the store before
  std::uint64_t failed = 0;  // of all of these
  double seconds = 0;        // in which points ran, without looking for them
  /// Rows that wait in memory, because another program holds the database.
  std::uint64_t unwritten = 0;
  std::uint64_t points() const { return computed + known; }
};

/// Runs all points of `source` that `store` does not hold. Rows count in the store a second after
/// they are known, at the latest; while another program holds the database, they wait in memory.
/// `progress` is called again and again. Throws MissingError if a point lacks something on this
/// computer; such a point has no row. Throws what the store and the workers throw. What was
/// committed stays.
Counts run(const Space& space, Source& source, Store& store, Workers& workers,
           const std::function<void(const Counts&)>& progress);

}  // namespace weft::sweep
