// A walk must find each operand's element, whichever dimensions the planner has merged.
#include "models/reference/cuda/bodies/strided.h"

#include <gtest/gtest.h>

#include <iostream>
#include <numeric>
#include <random>

namespace weft::cuda {
namespace {

using Ints = std::vector<std::int64_t>;

/// Returns the offset of element `index` by definition: each dimension's index times its stride.
std::int64_t naive_offset(const Ints& extents, const Ints& strides, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t d = extents.size(); d-- > 0; index /= extents[d]) {
    offset += index % extents[d] * strides[d];
  }
  return offset;
}

TEST(CudaStridedTest, FindsWhatTheDefinitionFinds) {
  constexpr unsigned kSeed = 3;
  std::mt19937 generator(kSeed);
  std::cout << "seed " << kSeed << '\n';
  int merged = 0;
  for (int round = 0; round < 500; ++round) {
    const std::size_t dims = generator() % 7;
    Ints extents(dims);
    Ints any(dims);
    Ints own(dims);
    std::int64_t row_major = 1;
    for (std::int64_t& extent : extents) extent = static_cast<std::int64_t>(generator() % 4 + 1);
    for (std::int64_t& stride : any) stride = static_cast<std::int64_t>(generator() % 40) - 20;
    for (std::size_t d = dims; d-- > 0; row_major *= extents[d]) own[d] = row_major;
    const Ints& first = round % 2 == 0 ? own : any;
    const Strided<2> walk = strided<2>(extents, {first, own}, {100, 0});
    merged += walk.dims < static_cast<int>(dims) ? 1 : 0;
    for (std::int64_t i = 0; i < row_major; ++i) {
      ASSERT_EQ(walk.at(i)[0], 100 + naive_offset(extents, first, i)) << round;
      ASSERT_EQ(walk.at(i)[1], i) << round;
    }
  }
  EXPECT_GT(merged, 100);
}

TEST(CudaStridedTest, MergesOperandsOfOneShapeIntoOneDimension) {
  const Strided<2> walk = strided<2>({4, 5, 6}, {Ints{30, 6, 1}, Ints{30, 6, 1}});
  EXPECT_EQ(walk.dims, 1);
  EXPECT_EQ(walk.extents[0], 120);
}

TEST(CudaStridedTest, KeepsOffsetsBeyondThirtyTwoBits) {
  const Strided<1> walk = strided<1>({3, std::int64_t{1} << 33}, {Ints{std::int64_t{1} << 33, 1}});
  EXPECT_EQ(walk.at((std::int64_t{1} << 34) + 5)[0], (std::int64_t{1} << 34) + 5);
  const Strided<1> turned =
      strided<1>({std::int64_t{1} << 33, 3}, {Ints{1, std::int64_t{1} << 33}});
  EXPECT_EQ(turned.at(2)[0], std::int64_t{1} << 34);
}

TEST(CudaStridedTest, RefusesMoreDimensionsThanAKernelsArgumentsHold) {
  const Ints extents(9, 2);
  Ints strides;
  for (std::int64_t d = 0; d < 9; ++d) strides.push_back(d * d + 1);
  EXPECT_THROW(strided<1>(extents, {strides}), InputError);
}

}  // namespace
}  // namespace weft::cuda
