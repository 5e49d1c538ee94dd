// The text form must lose nothing, for any instruction.
#include <gtest/gtest.h>

#include <sstream>

#include "sim/isa/text/text.h"
#include "tests/isa/random_instruction.h"

namespace weft {
namespace {

TEST(TextPropertyTest, ParsesWhatItFormats) {
  constexpr std::uint64_t kSeed = 17;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  testing_support::RandomInstructions random(kSeed);
  std::array<int, kOpcodeCount> hits{};
  testing_support::VarietyCount variety;
  for (int i = 0; i < 20'000; ++i) {
    const Instruction instruction = random.next();
    ++hits[static_cast<std::size_t>(instruction.opcode())];
    variety.add(instruction);
    ASSERT_EQ(parse_instruction(format(instruction)), instruction) << format(instruction);
  }
  for (const int count : hits) EXPECT_GT(count, 1000);
  EXPECT_EQ(variety.kinds(), testing_support::VarietyCount::kAllKinds);
}

TEST(TextPropertyTest, AssemblesWhatItDisassembles) {
  constexpr std::uint64_t kSeed = 18;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  testing_support::RandomInstructions random(kSeed);
  for (int i = 0; i < 200; ++i) {
    Program program{8, 16, ElementType::kBf16, {}, {}, {}};
    if (random.chance(2)) {
      program.tensors.push_back({"a.b-c_1", TensorRole::kBias, ElementType::kFloat32, 1, 99, 12});
    }
    if (random.chance(2)) program.computes = MatmulSpec{3, 4, 5, true, Activation::kRelu6};
    while (!random.chance(30)) program.code.push_back(random.next());
    const std::string text = disassemble(program);
    std::istringstream in(text);
    const Program again = assemble(in, "text");
    ASSERT_EQ(again, program);
    ASSERT_EQ(disassemble(again), text);
  }
}

}  // namespace
}  // namespace weft
