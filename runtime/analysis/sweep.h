// Runs a product or a convolution over a range of one size, to show where padding makes the cycles
// jump. value_sweep.h has ranges of the machine's keys. Each point is planned and simulated on the
// analytic engine, as `weft matmul` or `weft conv` would.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft::runtime {

/// A request such as --sweep n=1..300:4.
struct SweepRequest {
  char dimension = 'n';  // m, k or n
  std::uint64_t low = 1;
  std::uint64_t high = 1;
  std::optional<std::uint64_t> step = {};  // nullopt: chosen to keep the table readable
};

struct SweepPoint {
  std::uint64_t size = 0;
  std::uint64_t folds = 0;
  double waste = 0;  // 1 - useful / issued MACs
  std::uint64_t cycles = 0;
  double utilization = 0;
  bool cliff = false;  // one more than whole tiles (along M: than whole chunks)
  // Only in sweeps of a key or of the batch:
  std::string value = {};                       // in place of `size`: "0.5"
  std::string why = {};                         // why it cannot run, then there are no figures
  double seconds = 0;                           // on the machine's clock
  std::optional<double> cycles_per_image = {};  // in a sweep of the batch
};

/// The workload of a sweep, as a function of one size.
struct SweptWorkload {
  std::string kind;                        // product, convolution
  std::string title;                       // the dimension's letter replaces its size
  std::string meaning;                     // meaning of the letter, e.g. filters; may be empty
  std::optional<std::uint64_t> tile = {};  // R along K, C along N; M has no tiles
  /// The approximate number of instructions of its program at a size.
  std::function<std::uint64_t(std::uint64_t size)> instructions = {};
  /// Plans and simulates one size. Throws InputError, ConfigError.
  std::function<SweepPoint(std::uint64_t size)> point = {};
};

struct Sweep {
  std::string dimension = "n";  // m, k, n, batch, or a key of the machine
  std::string kind = {};
  std::string title = {};
  std::string meaning = {};
  std::optional<std::uint64_t> tile = {};
  std::uint64_t step = 1;
  bool step_chosen = false;  // if few, both sides of each cliff are points too
  std::vector<SweepPoint> points = {};
  bool is_value = false;                       // of a key or of the batch
  std::optional<std::string> value_step = {};  // in place of `step`; a list has none
};

inline constexpr std::uint64_t kMostSweepPoints = 500;
/// Most points of a sweep without a given step; cliffs are extra.
inline constexpr std::uint64_t kChosenSweepPoints = 100;

/// Limit for all points together; a longer sweep is refused.
inline constexpr std::uint64_t kMostSweepInstructions = 20'000'000;

/// Throws InputError for bad syntax, an empty range, or more than kMostSweepPoints.
SweepRequest parse_sweep(std::string_view text);

/// The step of `request`, else a step that gives at most kChosenSweepPoints.
std::uint64_t step_of(const SweepRequest& request);

/// All sizes from the lowest on in that step; a chosen step adds the highest size.
std::set<std::uint64_t> sweep_sizes(const SweepRequest& request);

/// Refuses a sweep that would take minutes: throws InputError if the programs of all sizes have
/// more than kMostSweepInstructions.
void check_sweep_work(const SweptWorkload& workload, char dimension,
                      const std::set<std::uint64_t>& sizes);

/// Calls `progress` with the finished share. Throws InputError as check_sweep_work() does, and what
/// the workload throws.
Sweep run_sweep(const SweptWorkload& workload, const SweepRequest& request,
                const std::function<void(double)>& progress);

}  // namespace weft::runtime
