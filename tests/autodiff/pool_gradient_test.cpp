// Gradients of pools: padding, strides, dilations, overlapping windows, output sizes rounded up.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::uint64_t kPoolCases = 120;

struct Pool {
  Shape input;
  Attributes attributes;
};

struct SeenPools {
  int overlapping = 0, side_by_side = 0, padded = 0, rounded_up = 0, same = 0, dilated = 0;
};

Pool draw_pool(Random& random, bool dilations, SeenPools& seen) {
  const auto rank = static_cast<std::size_t>(between(random, 1, 3));
  const bool simple = between(random, 0, 3) == 0;
  Pool pool = {random_shape(random, 2, 3), {}};
  Ints kernel, strides, spans, begin, end;
  for (std::size_t d = 0; d < rank; ++d) {
    kernel.push_back(between(random, 1, 3));
    strides.push_back(simple ? kernel[d] : between(random, 1, 3));
    spans.push_back(dilations && !simple ? between(random, 1, 2) : 1);
    begin.push_back(simple ? 0 : between(random, 0, kernel[d] - 1));
    end.push_back(simple ? 0 : between(random, 0, kernel[d] - 1));
    const std::int64_t extent = (kernel[d] - 1) * spans[d] + 1;
    pool.input.push_back(extent + between(random, 0, rank == 3 ? 2 : 5));
    seen.dilated += kernel[d] > 1 && spans[d] > 1;
    seen.overlapping += strides[d] < kernel[d];
    seen.padded += begin[d] + end[d] > 0;
  }
  seen.side_by_side += simple;
  Ints pads = begin;
  pads.insert(pads.end(), end.begin(), end.end());
  pool.attributes = {{"kernel_shape", kernel}, {"strides", strides}};
  if (dilations) pool.attributes.set("dilations", spans);
  const bool same = !simple && between(random, 0, 3) == 0;
  if (same)
    pool.attributes.set("auto_pad", std::string(chance(random) ? "SAME_UPPER" : "SAME_LOWER"));
  if (!same) pool.attributes.set("pads", pads);
  const std::int64_t ceil_mode = simple ? 0 : between(random, 0, 1);
  pool.attributes.set("ceil_mode", ceil_mode);
  seen.same += same;
  seen.rounded_up += ceil_mode != 0 && !same;
  return pool;
}

void expect_seen(const SeenPools& seen, bool dilations) {
  EXPECT_GT(seen.overlapping, 0);
  EXPECT_GT(seen.side_by_side, 0);
  EXPECT_GT(seen.padded, 0);
  EXPECT_GT(seen.rounded_up, 0);
  EXPECT_GT(seen.same, 0);
  EXPECT_EQ(seen.dilated > 0, dilations);
}

TEST(PoolGradientTest, MaxPoolOfAnyGeometry) {
  SeenPools seen;
  for (std::uint64_t seed = 1; seed <= kPoolCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Pool pool = draw_pool(random, true, seen);
    Case test;
    const ValueId x = test.variable(distinct(random, pool.input));
    check_gradients(test, {test.builder.add(Op::kMaxPool, {x}, pool.attributes)}, random);
    if (HasFatalFailure()) return;
  }
  expect_seen(seen, true);
}

TEST(PoolGradientTest, AveragePoolOfAnyGeometry) {
  SeenPools seen;
  std::array<int, 2> counted = {};
  for (std::uint64_t seed = 1; seed <= kPoolCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Pool pool = draw_pool(random, false, seen);
    const std::int64_t with_padding = between(random, 0, 1);
    pool.attributes.set("count_include_pad", with_padding);
    Case test;
    const ValueId x = test.variable(reals(random, pool.input));
    check_gradients(test, {test.builder.add(Op::kAveragePool, {x}, pool.attributes)}, random);
    ++counted[static_cast<std::size_t>(with_padding)];
    if (HasFatalFailure()) return;
  }
  expect_seen(seen, false);
  EXPECT_GT(counted[0], 0);
  EXPECT_GT(counted[1], 0);
}

class GlobalPoolGradientTest : public ::testing::TestWithParam<Op> {};

TEST_P(GlobalPoolGradientTest, OverOneToThreeDimensions) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Case test;
    const ValueId x = test.variable(
        distinct(random, random_shape(random, 3 + static_cast<std::size_t>(seed % 3))));
    check_gradients(test, {test.builder.add(GetParam(), {x})}, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, GlobalPoolGradientTest,
                         ::testing::Values(Op::kGlobalAveragePool, Op::kGlobalMaxPool),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace weft::autodiff::testing
