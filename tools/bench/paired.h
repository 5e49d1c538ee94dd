// Timing on a noisy machine: two workloads run alternately in one process, so that both meet the
// same clock and the same neighbours, and the medians are compared.
#pragma once

#include <functional>
#include <utility>

namespace weft::bench {

/// Seconds that one call of `work` takes: the median of `repeats` (at least 1).
double median_seconds(const std::function<void()>& work, int repeats);

/// The medians of both, measured alternately after one unmeasured call of each.
std::pair<double, double> paired_seconds(const std::function<void()>& ours,
                                         const std::function<void()>& theirs, int repeats);

}  // namespace weft::bench
