// Which rows of a large database its page lists.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/sweep/store.h"

namespace weft::report {

struct PageSample {
  std::vector<std::uint64_t> rows;  // numbers of the rows from 0, ascending
  bool has_fronts = false;          // among them are those of all fronts
};

/// At most `most` rows: those on the Pareto front of any two figures of a workload, and of the
/// others an even share. If there are more rows on fronts, an even share of all. `read` is called
/// with the number of rows read so far.
PageSample sample_rows(sweep::Store& store, std::uint64_t most,
                       const std::function<void(std::uint64_t)>& read);

}  // namespace weft::report
