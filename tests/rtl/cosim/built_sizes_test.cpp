// The arrays that the build makes by default, compared with `stepped`.
#include "tests/rtl/cosim/random_cosim.h"

namespace weft {
namespace {

TEST(RtlCosimulationTest, SquareArraysEqualSteppedToTheBitAndTheCycle) {
  testing::compare_programs({{4, 4}, {8, 8}, {16, 16}}, 1000, 18);
}

}  // namespace
}  // namespace weft
