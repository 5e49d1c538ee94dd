// A product or a convolution over a range of one size: where padding makes the cycles jump. Each
// point is planned and simulated on the analytic engine, as `weft matmul` or `weft conv` would run
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// --sweep n=1..300:4.
struct SweepRequest {
  char dimension = 'n';  // m, k or n
  std::uint64_t low = 1;
  std::uint64_t high = 1;
  std::optional<std::uint64_t> step = {};  // none: chosen so that the table stays readable
};

struct SweepPoint {
  std::uint64_t size = 0;
  std::uint64_t folds = 0;
  double waste = 0;  // 1 - useful / issued MACs
  std::uint64_t cycles = 0;
  double utilization = 0;
  bool cliff = false;  // one over whole tiles (along M: over whole chunks)
};

/// What is swept over one of its sizes.
struct SweptWorkload {
  std::string kind;                        // product, convolution
  std::string title;                       // with the dimension's letter in place of its size
  std::string meaning;                     // of the letter, if it needs one: filters
  std::optional<std::uint64_t> tile = {};  // R along K, C along N; rows are not cut into tiles
  /// About how many instructions its program has at a size.
  std::function<std::uint64_t(std::uint64_t size)> instructions = {};
  /// Plans and simulates it. Throws InputError, ConfigError.
  std::function<SweepPoint(std::uint64_t size)> point = {};
};

struct Sweep {
  char dimension = 'n';
  std::string kind = {};
  std::string title = {};
  std::string meaning = {};
  std::optional<std::uint64_t> tile = {};
  std::uint64_t step = 1;
  bool step_chosen = false;  // then both sides of each cliff are points too, as far as they are few
  std::vector<SweepPoint> points = {};
};

inline constexpr std::uint64_t kMostSweepPoints = 500;
/// So many are chosen at most if no step is given, cliffs aside.
inline constexpr std::uint64_t kChosenSweepPoints = 100;

/// Of all points together; a sweep of more is refused.
inline constexpr std::uint64_t kMostSweepInstructions = 20'000'000;

/// Throws InputError for a text of another form, an empty range, or more than kMostSweepPoints.
SweepRequest parse_sweep(std::string_view text);

/// The step of `request`, or one that gives kChosenSweepPoints at most.
std::uint64_t step_of(const SweepRequest& request);

/// From the lowest on in that step; the highest too if the step was chosen.
std::set<std::uint64_t> sweep_sizes(const SweepRequest& request);

/// A sweep of minutes is refused before it begins: throws InputError if the programs of all sizes
/// have more than kMostSweepInstructions.
void check_sweep_work(const SweptWorkload& workload, char dimension,
                      const std::set<std::uint64_t>& sizes);

/// `progress` is called with the share done. Throws InputError, also for more than
/// kMostSweepInstructions, and as the workload does.
Sweep run_sweep(const SweptWorkload& workload, const SweepRequest& request,
                const std::function<void(double)>& progress);

nlohmann::ordered_json sweep_json(const Sweep& sweep);
/// A heading and a row for each point.
std::string sweep_text(const Sweep& sweep);

}  // namespace weft::cli
