#include "runtime/measure/fma_burst.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/measure/fma_burst.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace weft::runtime {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint64_t kRounds = 10'000;
// More chains than latency times units of any processor, which is 5 * 2.
constexpr std::uint64_t kChains = 12;

/// Twelve independent chains of x * 0.5 + 1, which stays near 2. The chains start at different
/// values, so that the compiler cannot merge them.
HWY_NOINLINE float run_chains(float x) {
  const hn::ScalableTag<float> d;
  const auto half = hn::Set(d, 0.5F);
  const auto one = hn::Set(d, 1.0F);
  const auto start = [&](float more) { return hn::Set(d, x + more); };
  auto c0 = start(0), c1 = start(1), c2 = start(2), c3 = start(3), c4 = start(4), c5 = start(5);
  auto c6 = start(6), c7 = start(7), c8 = start(8), c9 = start(9), c10 = start(10);
  auto c11 = start(11);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    c0 = hn::MulAdd(c0, half, one);
    c1 = hn::MulAdd(c1, half, one);
    c2 = hn::MulAdd(c2, half, one);
    c3 = hn::MulAdd(c3, half, one);
    c4 = hn::MulAdd(c4, half, one);
    c5 = hn::MulAdd(c5, half, one);
    c6 = hn::MulAdd(c6, half, one);
    c7 = hn::MulAdd(c7, half, one);
    c8 = hn::MulAdd(c8, half, one);
    c9 = hn::MulAdd(c9, half, one);
    c10 = hn::MulAdd(c10, half, one);
    c11 = hn::MulAdd(c11, half, one);
  }
  const auto sum =
      hn::Add(hn::Add(hn::Add(c0, c1), hn::Add(c2, c3)), hn::Add(hn::Add(c4, c5), hn::Add(c6, c7)));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(hn::Add(c8, c9), hn::Add(c10, c11)))));
}

FmaBurst burst() {
  const hn::ScalableTag<float> d;
  return {hwy::TargetName(HWY_TARGET), static_cast<std::uint32_t>(hn::Lanes(d)), kRounds * kChains,
          run_chains};
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::runtime {

HWY_EXPORT(burst);

FmaBurst fma_burst() {
  return HWY_DYNAMIC_DISPATCH(burst)();
}

}  // namespace weft::runtime
#endif
