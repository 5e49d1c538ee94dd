// The array of a mutant compared with `stepped` in the machine: the suite's co-simulation with
// fewer programs, on the sizes and types that the mutant has.
#include <algorithm>
#include <set>

#include "rtl/cosim/rtl_models.h"
#include "tests/rtl/cosim/random_cosim.h"

namespace weft::testing {
namespace {

constexpr std::uint64_t kSeeds = 150;

std::vector<ArraySize> built_sizes() {
  std::vector<ArraySize> sizes;
  for (const RtlArray& array : rtl_arrays()) sizes.push_back({array.rows, array.cols});
  return sizes;
}

/// True if the mutant has the element type of this seed's programs, which draw their machine first.
bool is_built(const std::vector<ArraySize>& sizes, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = random_machine_of(sizes, random).dtype;
  return std::ranges::any_of(rtl_arrays(), [&](const RtlArray& a) { return a.type == type; });
}

TEST(ArrayTest, EqualsSteppedInRandomProgramsAndProducts) {
  const std::vector<ArraySize> sizes = built_sizes();
  Hits hits;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; compared < kSeeds; ++seed) {
    if (!is_built(sizes, seed)) continue;
    ASSERT_NO_FATAL_FAILURE(compare_random_program(sizes, seed, hits));
    ASSERT_NO_FATAL_FAILURE(compare_matmul(sizes, seed, hits));
    ++compared;
  }
}

TEST(LockstepTest, EveryRegisterEqualsThatOfStepped) {
  const std::vector<ArraySize> sizes = built_sizes();
  for (std::uint64_t seed = 0, compared = 0; compared < kSeeds; ++seed) {
    if (!is_built(sizes, seed)) continue;
    SCOPED_TRACE(::testing::Message() << "random program, seed " << seed);
    Random random(seed);
    const MachineConfig config = random_machine_of(sizes, random);
    const RandomProgram made(config, random.between(1, 80), random);
    const auto stepped = clocked_outcome(config, made.program(), ArrayModel::kStepped);
    EXPECT_EQ(stepped, clocked_outcome(config, made.program(), ArrayModel::kRtl, true));
    ++compared;
  }
}

}  // namespace
}  // namespace weft::testing
