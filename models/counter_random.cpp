#include "models/counter_random.h"

namespace weft {

void CounterRandom::fill(std::span<float> out, float center, float spread) const {
  const std::size_t pairs = out.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::uint64_t draw = bits(i);
    out[2 * i] = center + spread * to_symmetric(draw);
    out[2 * i + 1] = center + spread * to_symmetric(draw >> 40U);
  }
  if (out.size() % 2 != 0) out.back() = center + spread * to_symmetric(bits(pairs));
}

}  // namespace weft
