// validate() must refuse exactly the programs that cannot run with any timing. Each limit is tested
// at its last allowed value and at the next one. The machine has the default values: 4 x 4 int8,
// 1024 UB rows, 64 accumulator rows, and 4 UB rows per result row.
#include "sim/isa/program.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "sim/isa/text/text.h"
#include "tests/isa/input_error.h"
#include "tests/isa/program_head.h"

namespace weft {
namespace {

constexpr const char* kTensors =
    "tensor name=a role=activation type=int8 shape=5x6 base=0\n"   // host rows 0..9
    "tensor name=b role=weights type=int8 shape=6x7 base=2\n"      // tiles 2..5
    "tensor name=bias role=bias type=int32 shape=1x7 base=10\n"    // host rows 10..17
    "tensor name=out role=result type=int32 shape=5x7 base=20\n";  // host rows 20..59

std::string validation_error(const std::string& text, const MachineConfig& config = {}) {
  std::istringstream in(text);
  const Program program = assemble(in, "t");
  return testing_support::input_error([&] { validate(program, config); });
}

std::string code_error(const std::string& code) {
  return validation_error(kHead + code + "\nend\n");
}

std::string tensor_code_error(const std::string& code) {
  return validation_error(std::string(kHead) + kTensors + code + "\nend\n");
}

/// Adds a fetch, because the first matmul of a program needs a tile.
std::string matmul_error(const std::string& operands) {
  return code_error("fetch tile=0\nmatmul " + operands);
}

TEST(ValidateTest, AcceptsAnEmptyProgram) {
  EXPECT_EQ(code_error(""), "");
}

TEST(ValidateTest, FindsAnotherMachine) {
  MachineConfig config;
  config.array_cols = 8;
  EXPECT_EQ(validation_error(std::string(kHead) + "end\n", config),
            "t:2: the program is laid out for 4 x 4 int8, but machine custom has 4 x 8 int8");
  config = {};
  config.array_rows = 8;
  EXPECT_NE(validation_error(std::string(kHead) + "end\n", config), "");
  config = {};
  config.dtype = ElementType::kBf16;
  EXPECT_NE(validation_error(std::string(kHead) + "end\n", config), "");
}

TEST(ValidateTest, FindsAddressesBeyondTheirMemory) {
  // 2^63 bytes are 2^61 rows of 4 bytes, or 2^59 tiles of 16.
  EXPECT_EQ(code_error("load host=2305843009213693950 ub=0 rows=2"), "");
  EXPECT_EQ(
      code_error("load host=2305843009213693951 ub=0 rows=2"),
      "t:3: instruction 0 (load host=2305843009213693951 ub=0 rows=2): host takes 2 rows from "
      "2305843009213693951 on, but host memory has 2^63 bytes, which are "
      "2305843009213693952 rows");
  EXPECT_EQ(code_error("store ub=0 host=2305843009213693951"), "");
  EXPECT_NE(code_error("store ub=0 host=2305843009213693952"), "");
  EXPECT_EQ(code_error("fetch tile=576460752303423487"), "");
  EXPECT_EQ(code_error("fetch tile=576460752303423488"),
            "t:3: instruction 0 (fetch tile=576460752303423488): tile is 576460752303423488, but "
            "weight memory has 2^63 bytes, which are 576460752303423488 tiles");
}

TEST(ValidateTest, NamesInstructionAndOperand) {
  EXPECT_EQ(code_error("load host=0 ub=0\nload host=0 ub=1020 rows=5"),
            "t:4: instruction 1 (load host=0 ub=1020 rows=5): ub takes 5 UB rows from 1020 on, but "
            "unified_buffer.kib = 4 has 1024");
}

TEST(ValidateTest, NamesNoPlaceInACompiledProgram) {
  Program program{4, 4, ElementType::kInt8, {}, {}, {{Load{0, 1020, 5}, {}}}};
  EXPECT_EQ(instruction_name(program, 0), "instruction 0 (load)");
  try {
    validate(program, MachineConfig{});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("instruction 0 (load host=0"), 0U) << error.what();
  }
}

TEST(ValidateTest, NamesTheLineOfATensorAndOfComputes) {
  const std::string a = "# comment\ntensor name=a role=activation type=int8 shape=5x6 base=0\n";
  EXPECT_EQ(validation_error(kHead + a +
                             "tensor name=c role=activation type=int8 shape=5x6 base=9\nend\n"),
            "t:5: tensor 'c': base 9 lies inside tensor 'a', which ends before 10");
  EXPECT_EQ(validation_error(kHead + a + "\ncomputes matmul m=4 k=6 n=7\nend\n"),
            "t:6: computes matmul: needs a tensor a of role activation, type int8 and shape 4 x 6");
  EXPECT_EQ(validation_error("\nweft 1\nmachine rows=0 cols=4 dtype=int8\nend\n",
                             [] {
                               MachineConfig config;
                               config.array_rows = 0;
                               return config;
                             }()),
            "t:3: machine rows=0 cols=4 dtype=int8: must be 1..4096, 1..4096 and int8|bf16|fp16");
}

TEST(ValidateTest, FindsZeroRows) {
  EXPECT_NE(code_error("load host=0 ub=0 rows=0"), "");
  EXPECT_NE(code_error("store host=0 ub=0 rows=0"), "");
  EXPECT_NE(code_error("vector acc=0 ub=0 rows=0"), "");
  EXPECT_NE(matmul_error("ub=0 acc=0 rows=0"), "");
}

TEST(ValidateTest, KeepsTransfersInsideTheUnifiedBuffer) {
  EXPECT_EQ(code_error("load host=0 ub=1020 rows=4"), "");
  EXPECT_NE(code_error("load host=0 ub=1020 rows=5"), "");
  EXPECT_NE(code_error("load host=0 ub=4294967295 rows=4294967295"), "");
  EXPECT_EQ(code_error("store host=0 ub=1020 rows=4"), "");
  EXPECT_NE(code_error("store host=0 ub=1020 rows=5"), "");
}

TEST(ValidateTest, KeepsMatmulsInsideTheBuffers) {
  EXPECT_EQ(matmul_error("ub=1020 rows=4 acc=60"), "");
  EXPECT_NE(matmul_error("ub=1020 rows=5 acc=0"), "");
  EXPECT_NE(matmul_error("ub=0 rows=5 acc=60"), "");
  EXPECT_EQ(matmul_error("ub=3 rows=4 loops=4:-1 acc=0"), "");
  EXPECT_EQ(
      matmul_error("ub=2 rows=4 loops=4:-1 acc=0"),
      "t:4: instruction 1 (matmul ub=2 rows=4 loops=4:-1 acc=0): the row generator reaches UB rows "
      "-1 to 2, but unified_buffer.kib = 4 has 1024");
}

TEST(ValidateTest, LetsPaddingRowsLieAnywhere) {
  EXPECT_NE(matmul_error("ub=1023 rows=3 acc=0"), "");
  EXPECT_EQ(matmul_error("ub=1023 rows=3 bounds=0:1:1 acc=0"), "");
  EXPECT_NE(matmul_error("ub=1023 rows=3 bounds=0:1:2 acc=0"), "");
  EXPECT_EQ(matmul_error("ub=4000000000 rows=3 bounds=9:1:1 acc=0"), "");  // all padding
}

TEST(ValidateTest, FindsLoopsShorterThanRows) {
  EXPECT_EQ(matmul_error("ub=0 rows=6 loops=3:1,2:3 acc=0"), "");
  EXPECT_NE(matmul_error("ub=0 rows=7 loops=3:1,2:3 acc=0"), "");
  EXPECT_NE(matmul_error("ub=0 rows=1 loops=3:1,0:3 acc=0"), "");
}

TEST(ValidateTest, FindsAPaddingElementThatIsTooWide) {
  EXPECT_EQ(matmul_error("ub=0 pad=0xff acc=0"), "");
  EXPECT_NE(matmul_error("ub=0 pad=0x100 acc=0"), "");
}

TEST(ValidateTest, FindsWeightsThatAreKeptBeforeAny) {
  EXPECT_NE(code_error("fetch tile=0\nmatmul ub=0 acc=0 weights=keep"), "");
  EXPECT_EQ(code_error("fetch tile=0\nmatmul ub=0 acc=0\nmatmul ub=0 acc=1 weights=keep"), "");
}

TEST(ValidateTest, FindsTilesThatAreNeverFetched) {
  EXPECT_EQ(code_error("matmul ub=0 acc=0\nfetch tile=0"), "");
  EXPECT_EQ(
      code_error("fetch tile=0\nmatmul ub=0 acc=0\nmatmul ub=0 acc=1"),
      "t:5: instruction 2 (matmul ub=0 acc=1): takes the next weights, but earlier matmuls take "
      "all fetched tiles (1)");
}

TEST(ValidateTest, KeepsVectorInstructionsInsideTheBuffers) {
  EXPECT_EQ(code_error("vector acc=60 ub=1008 rows=4"), "");
  EXPECT_NE(code_error("vector acc=61 ub=0 rows=4"), "");
  EXPECT_NE(code_error("vector acc=0 ub=1009 rows=4"), "");  // 4 UB rows per result
  EXPECT_EQ(code_error("vector acc=0 ub=0 bias=1020"), "");
  EXPECT_NE(code_error("vector acc=0 ub=0 bias=1021"), "");
}

TEST(ValidateTest, FindsClampsThatLetNothingThrough) {
  EXPECT_EQ(code_error("vector op=clamp acc=0 ub=0 low=0xffffffff high=0x6"), "");  // -1..6
  EXPECT_NE(code_error("vector op=clamp acc=0 ub=0 low=0x6 high=0xffffffff"), "");
  EXPECT_NE(code_error("vector op=relu acc=0 ub=0 high=0x6"), "");
  MachineConfig config;
  config.dtype = ElementType::kBf16;
  const std::string head = "weft 1\nmachine rows=4 cols=4 dtype=bf16\n";
  const std::string clamp = "vector op=clamp acc=0 ub=0 ";
  EXPECT_EQ(validation_error(head + clamp + "low=0xbf800000 high=0x40c00000\nend\n", config), "");
  EXPECT_NE(validation_error(head + clamp + "low=0x40c00000 high=0xbf800000\nend\n", config), "");
  EXPECT_NE(validation_error(head + clamp + "low=0x0 high=0x7fc00000\nend\n", config), "");  // NaN
}

TEST(ValidateTest, FindsCountsThatNoUnitReaches) {
  EXPECT_EQ(code_error("fetch tile=0 after=load:1\nload host=0 ub=0"), "");
  EXPECT_NE(code_error("fetch tile=0 after=load:2\nload host=0 ub=0"), "");
  // A unit executes its queue in order, so only earlier instructions count.
  EXPECT_EQ(code_error("load host=0 ub=0\nload host=0 ub=0 after=load:1"), "");
  EXPECT_EQ(
      code_error("load host=0 ub=0\nload host=0 ub=0 after=load:2\nload host=0 ub=0"),
      "t:4: instruction 1 (load host=0 ub=0 after=load:2): after=load:2 can never be reached: its "
      "own queue has before it only 1");
}

TEST(ValidateTest, KeepsLoadsInsideATensor) {
  EXPECT_EQ(tensor_code_error("load host=0 ub=0 rows=10"), "");
  EXPECT_EQ(tensor_code_error("load host=10 ub=0 rows=8"), "");
  EXPECT_NE(tensor_code_error("load host=0 ub=0 rows=11"), "");
  EXPECT_NE(tensor_code_error("load host=18 ub=0"), "");
  EXPECT_NE(tensor_code_error("load host=18446744073709551615 ub=0 rows=2"), "");
}

TEST(ValidateTest, KeepsFetchesInsideWeights) {
  EXPECT_NE(tensor_code_error("fetch tile=1"), "");
  EXPECT_EQ(tensor_code_error("fetch tile=2\nfetch tile=5"), "");
  EXPECT_EQ(tensor_code_error("fetch tile=6"),
            "t:7: instruction 0 (fetch tile=6): no weights tensor holds tile 6");
}

TEST(ValidateTest, KeepsStoresInsideAResult) {
  EXPECT_EQ(tensor_code_error("store ub=0 host=20 rows=40"), "");
  EXPECT_NE(tensor_code_error("store ub=0 host=20 rows=41"), "");
  EXPECT_NE(tensor_code_error("store ub=0 host=19 rows=1"), "");
  EXPECT_NE(tensor_code_error("store ub=0 host=0 rows=1"), "");  // an activation
}

TEST(ValidateTest, LetsLoadsReadOnlyResultsThatWereStored) {
  const std::string stores =
      "store ub=0 host=30 rows=4\nstore ub=0 host=20 rows=5\n"
      "store ub=0 host=25 rows=5\n";  // 20..33, in three stores
  EXPECT_EQ(tensor_code_error(stores + "load host=20 ub=0 rows=14"), "");
  EXPECT_EQ(
      tensor_code_error(stores + "load host=20 ub=0 rows=15"),
      "t:10: instruction 3 (load host=20 ub=0 rows=15): loads rows of the result 'out' that no "
      "earlier store wrote");
  EXPECT_NE(tensor_code_error("load host=20 ub=0\n" + stores), "");
}

TEST(ValidateTest, LetsStoresWriteNarrowTensorsAndLoadsReadThemBack) {
  const std::string spill =
      std::string(kHead) + kTensors + "tensor name=spill role=narrow type=int8 shape=5x7 base=60\n";
  EXPECT_EQ(
      validation_error(spill + "store ub=0 host=60 rows=10\nload host=60 ub=0 rows=10\nend\n"), "");
  EXPECT_NE(validation_error(spill + "store ub=0 host=60 rows=11\nend\n"), "");
  EXPECT_EQ(validation_error(spill + "store ub=0 host=60 rows=9\nload host=60 ub=0 rows=10\nend\n"),
            "t:9: instruction 1 (load host=60 ub=0 rows=10): loads rows of the narrow tensor "
            "'spill' that no earlier store wrote");
}

TEST(ValidateTest, LeavesHostRowsAloneWithoutTensors) {
  EXPECT_EQ(code_error("load host=12345678901 ub=0\nstore ub=0 host=5\nfetch tile=99"), "");
}

}  // namespace
}  // namespace weft
