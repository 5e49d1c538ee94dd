// Array shapes that no tool is tuned for: more rows than columns, more columns than rows, a single
// row.
#include "tests/rtl/array_folder.h"
#include "tests/rtl/cosim/random_cosim.h"

namespace weft {
namespace {

TEST(RtlCosimulationTest, OddArraysEqualSteppedToTheBitAndTheCycle) {
  test::use_arrays_of(WEFT_TEST_ARRAYS);
  testing::compare_programs({{3, 5}, {7, 2}, {1, 6}}, 500, 18);
}

}  // namespace
}  // namespace weft
