// The page of `weft sweep --report DB --html FILE`: the points of a database as figures and tables.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "report/json.h"
#include "runtime/sweep/pareto.h"
#include "runtime/sweep/store.h"

namespace weft::report {

/// A page lists at most this many points; of a larger database it has a sample (page_sample.h).
inline constexpr std::uint64_t kListedPoints = 20'000;

/// The page's data (docs/page.md). `front` are the two figures that the page's front weighs first.
/// `progress` is called with the share of the work that is done.
Json sweep_page_data(sweep::Store& store, std::span<const sweep::Metric> front,
                     const std::string& command_line, const std::function<void(double)>& progress,
                     std::uint64_t most = kListedPoints);

}  // namespace weft::report
