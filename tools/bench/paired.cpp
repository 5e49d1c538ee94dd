#include "tools/bench/paired.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace weft::bench {
namespace {

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

double median_seconds(const std::function<void()>& work, int repeats) {
  work();
  std::vector<double> samples;
  for (int i = 0; i < std::max(repeats, 1); ++i) samples.push_back(seconds(work));
  return median(samples);
}

std::pair<double, double> paired_seconds(const std::function<void()>& ours,
                                         const std::function<void()>& theirs, int repeats) {
  ours();
  theirs();
  std::vector<double> our_samples;
  std::vector<double> their_samples;
  for (int i = 0; i < std::max(repeats, 1); ++i) {
    our_samples.push_back(seconds(ours));
    their_samples.push_back(seconds(theirs));
  }
  return {median(our_samples), median(their_samples)};
}

}  // namespace weft::bench
