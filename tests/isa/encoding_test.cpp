// The binary form must lose nothing and refuse bytes that encode no instruction.
#include "sim/isa/text/encoding.h"

#include <gtest/gtest.h>

#include <array>

#include "base/error.h"
#include "tests/isa/random_instruction.h"

namespace weft {
namespace {

TEST(EncodingTest, DecodesWhatItEncodes) {
  constexpr std::uint64_t kSeed = 41;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  testing_support::RandomInstructions random(kSeed);
  std::array<int, kOpcodeCount> hits{};
  testing_support::VarietyCount variety;
  for (int i = 0; i < 20'000; ++i) {
    const Instruction instruction = random.next();
    ++hits[static_cast<std::size_t>(instruction.opcode())];
    variety.add(instruction);
    ASSERT_EQ(decode(encode(instruction)), instruction);
  }
  for (const int count : hits) EXPECT_GT(count, 1000);
  EXPECT_EQ(variety.kinds(), testing_support::VarietyCount::kAllKinds);
}

TEST(EncodingTest, PacksFieldsFromTheLeastSignificantBit) {
  // store has opcode 4 in 3 bits, then five counts of 32 bits, so ub begins at bit 163: byte 20,
  // bit 3. host follows 32 bits later (byte 24, bit 3), rows 64 bits after that (byte 32, bit 3).
  Instruction instruction{Store{5, 6, 7}, {}};
  instruction.after[Unit::kLoad] = 1;  // bit 3
  const std::vector<std::byte> bytes = encode(instruction);
  ASSERT_EQ(bytes.size(), 176U);
  std::vector<std::byte> expected(176);
  expected[0] = std::byte{4U | 1U << 3U};
  expected[20] = std::byte{5U << 3U};
  expected[24] = std::byte{6U << 3U};
  expected[32] = std::byte{7U << 3U};
  EXPECT_EQ(bytes, expected);
}

TEST(EncodingTest, RefusesAnotherLength) {
  EXPECT_THROW(decode(std::vector<std::byte>(kInstructionBytes - 1)), InputError);
  EXPECT_THROW(decode(std::vector<std::byte>(kInstructionBytes + 1)), InputError);
  EXPECT_THROW(decode({}), InputError);
}

TEST(EncodingTest, RefusesAnUnknownOpcode) {
  for (unsigned opcode = 0; opcode < 8; ++opcode) {
    std::vector<std::byte> bytes(kInstructionBytes);
    bytes[0] = std::byte(opcode);
    if (opcode < kOpcodeCount) {
      EXPECT_NO_THROW(decode(bytes));
    } else {
      EXPECT_THROW(decode(bytes), InputError);
    }
  }
}

TEST(EncodingTest, RefusesAnUnknownVectorOp) {
  // The op's five bits follow opcode and counts, at bit 163 = byte 20, bit 3.
  for (unsigned op = 0; op < 32; ++op) {
    std::vector<std::byte> bytes = encode({Vector{}, {}});
    bytes[20] |= std::byte(op << 3U);
    if (op < kVectorOpCount) {
      EXPECT_EQ(std::get<Vector>(decode(bytes).operation).op, static_cast<VectorOp>(op));
    } else {
      EXPECT_THROW(decode(bytes), InputError) << op;
    }
  }
}

TEST(EncodingTest, LeavesTheFieldsOfAMissingPartZeroAndRefusesAnythingElse) {
  // A fetch's tile takes bits 163..226. Bit 227 says whether there is a buffer tile. Its row begins
  // at bit 228 = byte 28, bit 4. Its `at` ends before bit 227 + 1 + 96 + 64 + 1 + 32 = 421.
  const std::vector<std::byte> none = encode({Fetch{5}, {}});
  for (std::size_t byte = 28; byte < none.size(); ++byte) EXPECT_EQ(none[byte], std::byte{0});
  for (const unsigned bit : {228U, 323U, 324U, 388U, 420U}) {
    std::vector<std::byte> bytes = none;
    bytes[bit / 8] |= std::byte{1} << (bit % 8);
    EXPECT_THROW(decode(bytes), InputError) << bit;
    bytes[227 / 8] |= std::byte{1} << (227 % 8);
    EXPECT_NO_THROW(decode(bytes)) << bit;
  }
}

TEST(EncodingTest, RefusesBitsAfterTheLastOperand) {
  std::vector<std::byte> bytes = encode({Fetch{1}, {}});
  bytes.back() = std::byte{0x80};
  EXPECT_THROW(decode(bytes), InputError);
}

}  // namespace
}  // namespace weft
