#include "runtime/analysis/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"

namespace weft::runtime {
namespace {

[[noreturn]] void fail_sweep(std::string_view text, std::string_view why) {
  throw InputError(fmt::format("--sweep {}: {}", printable(text), why));
}

std::uint64_t sweep_size(std::string_view part, std::string_view text) {
  return parse_size(part, fmt::format("--sweep {}: size", printable(text)));
}

/// Adds the last size before each cliff and the first size after it.
void add_cliffs(const SweepRequest& request, std::uint64_t tile, std::set<std::uint64_t>& sizes) {
  constexpr std::uint64_t kMostCliffs = 100;
  if (tile < 2 || (request.high - request.low) / tile > kMostCliffs) return;
  for (std::uint64_t whole = (request.low + tile - 1) / tile * tile; whole <= request.high;
       whole += tile) {
    sizes.insert(whole);
    if (whole < request.high) sizes.insert(whole + 1);
  }
}

std::set<std::uint64_t> sizes_of(const SweepRequest& request, const Sweep& sweep) {
  std::set<std::uint64_t> sizes = sweep_sizes(request);
  if (sweep.step_chosen && sweep.tile) add_cliffs(request, *sweep.tile, sizes);
  return sizes;
}

}  // namespace

SweepRequest parse_sweep(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..");
  if (equals != 1 || dots == std::string_view::npos || dots < 2 ||
      std::string_view("mkn").find(text.front()) == std::string_view::npos) {
    fail_sweep(text, "must be m=LO..HI, k=LO..HI or n=LO..HI, with an optional :STEP after it");
  }
  const std::size_t colon = std::min(text.find(':', dots), text.size());
  SweepRequest request;
  request.dimension = text.front();
  request.low = sweep_size(text.substr(2, dots - 2), text);
  request.high = sweep_size(text.substr(dots + 2, colon - dots - 2), text);
  if (colon < text.size()) request.step = sweep_size(text.substr(colon + 1), text);
  if (request.low > request.high) {
    fail_sweep(text, fmt::format("goes from {} down to {}; give the smaller size first",
                                 request.low, request.high));
  }
  if (!request.step) return request;
  const std::uint64_t points = (request.high - request.low) / *request.step + 1;
  if (points > kMostSweepPoints) {
    fail_sweep(
        text,
        fmt::format("would be {} points, but at most {} are shown; choose a larger step or none",
                    points, kMostSweepPoints));
  }
  return request;
}

std::uint64_t step_of(const SweepRequest& request) {
  return request.step.value_or((request.high - request.low) / kChosenSweepPoints + 1);
}

std::set<std::uint64_t> sweep_sizes(const SweepRequest& request) {
  std::set<std::uint64_t> sizes;
  for (std::uint64_t size = request.low; size <= request.high; size += step_of(request)) {
    sizes.insert(size);
  }
  if (!request.step) sizes.insert(request.high);
  return sizes;
}

void check_sweep_work(const SweptWorkload& workload, char dimension,
                      const std::set<std::uint64_t>& sizes) {
  std::uint64_t instructions = 0;
  for (const std::uint64_t size : sizes) {
    instructions += workload.instructions(size);
    if (instructions <= kMostSweepInstructions) continue;
    throw InputError(
        fmt::format("--sweep: its programs would have more than {} instructions up to {} = {}; "
                    "choose smaller sizes, a larger step or a larger array",
                    kMostSweepInstructions, dimension, size));
  }
}

Sweep run_sweep(const SweptWorkload& workload, const SweepRequest& request,
                const std::function<void(double)>& progress) {
  Sweep sweep{std::string(1, request.dimension), workload.kind, workload.title, workload.meaning,
              workload.tile};
  sweep.step_chosen = !request.step;
  sweep.step = step_of(request);
  const std::set<std::uint64_t> sizes = sizes_of(request, sweep);
  check_sweep_work(workload, request.dimension, sizes);
  for (const std::uint64_t size : sizes) {
    sweep.points.push_back(workload.point(size));
    progress(static_cast<double>(sweep.points.size()) / static_cast<double>(sizes.size()));
  }
  return sweep;
}

}  // namespace weft::runtime
