// The assembler must answer any bytes with a program or an InputError.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <sstream>

#include "base/error.h"
#include "sim/isa/text/text.h"
#include "tests/isa/random_instruction.h"

namespace weft {
namespace {

constexpr unsigned kSeed = 2'026'112;

std::string valid_program(testing_support::RandomInstructions& instructions) {
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  program.tensors.push_back({"a", TensorRole::kActivation, ElementType::kInt8, 5, 6, 0});
  program.tensors.push_back({"b", TensorRole::kWeights, ElementType::kInt8, 6, 7, 0});
  program.computes = MatmulSpec{5, 6, 7, false, Activation::kRelu};
  for (int i = 0; i < 6; ++i) program.code.push_back(instructions.next());
  return disassemble(program);
}

/// Changes a byte, cuts the text, copies or removes a piece, or writes a character of the syntax.
void mutate(std::string& text, std::mt19937& random) {
  constexpr std::string_view kTelling = "0123456789=:,-x# \n\t\re";
  const std::size_t at = random() % text.size();
  const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - at);
  switch (random() % 5) {
    case 0:
      text[at] = static_cast<char>(random() % 256);
      break;
    case 1:
      text.resize(at + 1);
      break;
    case 2:
      text.insert(random() % text.size(), text.substr(at, length));
      break;
    case 3:
      text.erase(at, std::min(length, text.size() - 1));
      break;
    default:
      text[at] = kTelling[random() % kTelling.size()];
  }
}

TEST(AssemblerFuzzTest, ReadsMutatedProgramsOrThrowsInputError) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  testing_support::RandomInstructions instructions(kSeed);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = valid_program(instructions);
    for (unsigned edits = 1 + random() % 2; edits > 0; --edits) mutate(text, random);
    std::istringstream in(text);
    try {
      const Program program = assemble(in, "fuzz");
      std::istringstream again(disassemble(program));
      ASSERT_EQ(assemble(again, "again"), program) << text;
      ++accepted;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 5000);
}

TEST(AssemblerFuzzTest, ReadsArbitraryBytesOrThrowsInputError) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    std::string text(random() % 300, '\0');
    for (char& byte : text) byte = static_cast<char>(random() % 256);
    std::istringstream in(text);
    EXPECT_THROW(assemble(in, "fuzz"), InputError);
  }
}

TEST(AssemblerFuzzTest, ValidatesMutatedProgramsOrThrowsInputError) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const std::string valid =
      "weft 1\nmachine rows=4 cols=4 dtype=int8\n"
      "tensor name=a role=activation type=int8 shape=5x6 base=0\n"
      "tensor name=b role=weights type=int8 shape=6x7 base=0\n"
      "tensor name=out role=result type=int32 shape=5x7 base=10\n"
      "load host=0 ub=0 rows=5\nfetch tile=0\nmatmul ub=0 rows=5 loops=5:1,3:-7 acc=0\n"
      "matmul ub=0 rows=5 bounds=0:1:5,-1:1:3 acc=0 weights=keep\n"
      "vector op=clamp acc=0 ub=16 rows=5 high=0x6\nstore ub=16 host=10 rows=20\n"
      "fetch buffer=0:4:3 window=1:8 transpose=on\n"
      "vector op=exp combine=mul domain=float a=0 a.loops=5:1 a.quant=0x3f000000:-7 b=100 b.step=4 "
      "ub=200 rows=5 format=narrow window=3:16 lanes=3 fill=off\nend\n";
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = valid;
    for (unsigned edits = random() % 4; edits > 0; --edits) mutate(text, random);
    std::istringstream in(text);
    try {
      validate(assemble(in, "fuzz"), MachineConfig{});
      ++accepted;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(accepted, 5000);
}

}  // namespace
}  // namespace weft
