#include "models/training/shuffle.h"

#include <numeric>
#include <utility>

#include "models/counter_random.h"

namespace weft::training {
namespace {

/// Lower streams are for the networks' parameters.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 32U;

}  // namespace

std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed,
                                       std::uint64_t epoch) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  const CounterRandom random(seed, kFirstStream + epoch);
  for (std::uint32_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random.below(left, left)]);
  }
  return order;
}

}  // namespace weft::training
