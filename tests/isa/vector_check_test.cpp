// The checks must refuse exactly the vector instructions and fetches from the buffer that have no
// meaning. Each limit is tested at its last allowed value and at the next one. Unless stated, the
// machine has 4 x 8 int8, 1024 UB rows, 64 accumulator rows, and 8 UB rows per wide row.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "sim/isa/program.h"
#include "sim/isa/text/text.h"
#include "tests/isa/input_error.h"

namespace weft {
namespace {

std::string error_of(const Program& program, const MachineConfig& config) {
  return testing_support::input_error([&] { validate(program, config); });
}

MachineConfig machine(ElementType dtype) {
  MachineConfig config;
  config.array_cols = 8;
  config.dtype = dtype;
  return config;
}

std::string error_on(ElementType dtype, const std::string& line) {
  const Program program{4, 8, dtype, {}, {}, {parse_instruction(line)}};
  const std::string error = error_of(program, machine(dtype));
  if (error.empty()) return "";
  // The message begins with the instruction.
  const std::string place = "instruction 0 (" + format(program.code[0]) + "): ";
  EXPECT_EQ(error.substr(0, place.size()), place);
  return error.substr(place.size());
}

std::string int8_error(const std::string& line) {
  return error_on(ElementType::kInt8, line);
}

std::string bf16_error(const std::string& line) {
  return error_on(ElementType::kBf16, line);
}

std::string error_of(const Vector& vector) {
  return error_of({4, 8, ElementType::kInt8, {}, {}, {{vector, {}}}}, machine(ElementType::kInt8));
}

TEST(VectorCheckTest, FindsMoreLanesThanColumns) {
  EXPECT_EQ(int8_error("vector acc=0 ub=0 lanes=8"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=0 lanes=9"), "lanes = 9, but array.cols = 8");
}

TEST(VectorCheckTest, FindsAColumnBeyondTheRow) {
  EXPECT_EQ(int8_error("vector acc=0 ub=0 format=narrow window=3:1"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=0 format=narrow window=4:1"),
            "the result begins in column 4 of rows of array.rows = 4 elements");
  EXPECT_NE(int8_error("vector a=0 ub=100 a.window=4:1"), "");
  EXPECT_NE(int8_error("vector combine=add acc=0 b=0 ub=100 b.format=narrow b.window=4:1"), "");
}

TEST(VectorCheckTest, FindsPlanesWithoutADistance) {
  EXPECT_EQ(int8_error("vector acc=0 ub=0 format=narrow lanes=4 fill=off"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=0 format=narrow lanes=5 fill=off"),
            "the result has 5 lanes from column 0 on, more than a row of array.rows = 4; give the "
            "planes a distance");
  EXPECT_NE(int8_error("vector acc=0 ub=0 format=narrow lanes=4"), "") << "8 lanes are filled";
  EXPECT_EQ(int8_error("vector a=0 ub=100 lanes=4"), "");
  EXPECT_NE(int8_error("vector a=0 ub=100"), "");
  EXPECT_NE(int8_error("vector a=0 ub=100 lanes=4 a.window=1:0"), "");
}

TEST(VectorCheckTest, FindsPlanesOfAResultThatOverlap) {
  EXPECT_EQ(int8_error("vector acc=0 ub=0 rows=3 format=narrow window=0:3"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=0 rows=4 format=narrow window=0:3"),
            "the planes of the result are 3 rows apart, but it has rows = 4; they overlap");
  EXPECT_EQ(int8_error("vector acc=0 ub=0 rows=4 format=narrow window=0:3 lanes=4 fill=off"), "");
}

TEST(VectorCheckTest, KeepsWindowsForNarrowRows) {
  EXPECT_EQ(int8_error("vector acc=0 ub=0 window=1:0"),
            "the result is wide; a window is for narrow "
            "rows");
  EXPECT_NE(int8_error("vector a=0 a.format=wide a.window=0:1 ub=100"), "");
  EXPECT_NE(int8_error("vector combine=add acc=0 b=0 b.window=0:1 ub=100"), "");
}

TEST(VectorCheckTest, KeepsTheResultInsideTheBuffer) {
  EXPECT_EQ(int8_error("vector acc=0 ub=1008 rows=2"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=1009 rows=2"),
            "ub takes 16 UB rows from 1009 on, but unified_buffer.kib = 4 has 1024");
  EXPECT_EQ(int8_error("vector acc=0 ub=1020 rows=4 format=narrow lanes=4 fill=off"), "");
  EXPECT_NE(int8_error("vector acc=0 ub=1021 rows=4 format=narrow lanes=4 fill=off"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=920 rows=4 format=narrow window=0:100"), "");
  EXPECT_NE(int8_error("vector acc=0 ub=921 rows=4 format=narrow window=0:100"), "");
  EXPECT_NE(int8_error("vector acc=0 ub=0 format=narrow window=0:4294967295"), "");
}

TEST(VectorCheckTest, KeepsTheSourceInsideTheBuffer) {
  EXPECT_EQ(int8_error("vector a=1022 ub=0 rows=2 lanes=4"), "");
  EXPECT_EQ(int8_error("vector a=1023 ub=0 rows=2 lanes=4"),
            "the row generator reaches UB rows 1023 to 1024, but unified_buffer.kib = 4 has 1024");
  EXPECT_EQ(int8_error("vector a=1023 a.bounds=0:1:1 ub=0 rows=2 lanes=4"), "") << "padding";
  EXPECT_EQ(int8_error("vector a=922 a.window=0:100 ub=0 rows=2"), "");
  EXPECT_NE(int8_error("vector a=923 a.window=0:100 ub=0 rows=2"), "");
  EXPECT_EQ(int8_error("vector a=1008 a.format=wide a.loops=2:8 ub=0 rows=2"), "");
  EXPECT_NE(int8_error("vector a=1009 a.format=wide a.loops=2:8 ub=0 rows=2"), "");
  EXPECT_EQ(int8_error("vector a=0 a.loops=1:1 ub=100 rows=2 lanes=4"),
            "the loops take 1 steps, fewer than rows");
  EXPECT_NE(int8_error("vector a=4294967295 a.loops=4294967295:2147483647 a.format=wide ub=0 "
                       "rows=4294967295"),
            "");
}

TEST(VectorCheckTest, KeepsOperandAndBiasInsideTheBuffer) {
  const std::string add = "vector combine=add acc=0 ub=0 rows=3 ";
  EXPECT_EQ(int8_error(add + "b=1000 b.step=8"), "");
  EXPECT_EQ(int8_error(add + "b=1001 b.step=8"),
            "b takes 24 UB rows from 1001 on, but unified_buffer.kib = 4 has 1024");
  EXPECT_EQ(int8_error(add + "b=1016"), "");
  EXPECT_NE(int8_error(add + "b=1017"), "");
  EXPECT_EQ(int8_error(add + "b=1021 b.step=1 b.format=narrow lanes=4"), "");
  EXPECT_NE(int8_error(add + "b=1022 b.step=1 b.format=narrow lanes=4"), "");
  EXPECT_NE(int8_error(add + "b=0 b.step=4294967295"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=0 bias=1016"), "");
  EXPECT_NE(int8_error("vector acc=0 ub=0 bias=1017"), "");
}

TEST(VectorCheckTest, AsksForASecondOperandExactlyWhereOneIsCombined) {
  EXPECT_EQ(int8_error("vector combine=add acc=0 ub=0"), "combine needs a second operand, b");
  EXPECT_EQ(int8_error("vector acc=0 b=100 ub=0"), "a second operand, b, needs combine");
}

TEST(VectorCheckTest, FindsAnAccumulatorRowBesideASource) {
  Vector vector{.acc = 1, .source = VectorSource{}, .ub = 100, .lanes = 4};
  EXPECT_NE(error_of(vector), "");
  vector.acc = 0;
  EXPECT_EQ(error_of(vector), "");
}

TEST(VectorCheckTest, FindsNamesThatThereAreNot) {
  const Vector good{.source = VectorSource{}, .ub = 100, .lanes = 4};
  ASSERT_EQ(error_of(good), "");
  Vector bad = good;
  bad.op = static_cast<VectorOp>(kVectorOpCount);
  EXPECT_NE(error_of(bad).find("unknown op"), std::string::npos);
  bad = good;
  bad.combine = static_cast<VectorCombine>(9);
  EXPECT_NE(error_of(bad), "");
  bad = good;
  bad.reduce = static_cast<VectorReduce>(3);
  EXPECT_NE(error_of(bad), "");
  bad = good;
  bad.mode = static_cast<VectorMode>(3);
  EXPECT_NE(error_of(bad), "");
  bad = good;
  bad.domain = static_cast<VectorDomain>(2);
  EXPECT_NE(error_of(bad), "");
  bad = good;
  bad.source->format = static_cast<RowFormat>(2);
  EXPECT_NE(error_of(bad), "");
}

TEST(VectorCheckTest, KeepsFloatFunctionsOutOfIntegerLanes) {
  for (const char* op : {"copy", "relu", "neg", "abs", "clamp"}) {
    EXPECT_EQ(int8_error(std::string("vector acc=0 ub=0 op=") + op), "") << op;
  }
  for (const char* op : {"leaky_relu", "elu", "selu", "sigmoid", "hard_sigmoid", "hard_swish",
                         "tanh", "erf", "softplus", "sqrt", "exp", "log", "reciprocal"}) {
    const std::string line = std::string("vector acc=0 ub=0 op=") + op;
    EXPECT_EQ(int8_error(line), "op=" + std::string(op) + " needs domain=float on an int8 machine");
    EXPECT_EQ(int8_error(line + " domain=float"), "") << op;
    EXPECT_EQ(bf16_error(line), "") << op;
  }
}

TEST(VectorCheckTest, KeepsFloatCombinesOutOfIntegerLanes) {
  for (const char* combine : {"add", "sub", "mul", "min", "max"}) {
    EXPECT_EQ(int8_error(std::string("vector acc=0 b=100 ub=0 combine=") + combine), "");
  }
  for (const char* combine : {"div", "pow", "prelu"}) {
    const std::string line = std::string("vector acc=0 b=100 ub=0 combine=") + combine;
    EXPECT_EQ(int8_error(line),
              "combine=" + std::string(combine) + " needs domain=float on an int8 machine");
    EXPECT_EQ(int8_error(line + " domain=float"), "") << combine;
    EXPECT_EQ(bf16_error(line), "") << combine;
  }
}

TEST(VectorCheckTest, TakesParametersOnlyWhereAFunctionHasThem) {
  const std::string line = "vector acc=0 ub=0 domain=float ";
  for (const char* op : {"leaky_relu", "elu"}) {
    EXPECT_EQ(int8_error(line + "low=0x3f000000 op=" + op), "") << op;
    EXPECT_NE(int8_error(line + "high=0x3f000000 op=" + op), "") << op;
  }
  for (const char* op : {"selu", "hard_sigmoid"}) {
    EXPECT_EQ(int8_error(line + "low=0x3f000000 high=0x3f000000 op=" + op), "") << op;
  }
  EXPECT_EQ(int8_error(line + "low=1 op=relu"),
            "low or high is given, but op=relu has no such parameter; remove it");
  for (const char* op : {"copy", "sigmoid", "hard_swish", "tanh", "erf", "softplus", "sqrt", "exp",
                         "log", "neg", "abs", "reciprocal"}) {
    EXPECT_NE(int8_error(line + "low=1 op=" + op), "") << op;
    EXPECT_NE(int8_error(line + "high=1 op=" + op), "") << op;
  }
}

TEST(VectorCheckTest, ComparesTheLimitsOfAClampInItsDomain) {
  const std::string minus_one_to_one = " low=0xbf800000 high=0x3f800000";  // as binary32
  const std::string minus_one_to_minus_two = " low=0xbf800000 high=0xc0000000";
  const std::string line = "vector op=clamp acc=0 ub=0";
  EXPECT_EQ(int8_error(line + minus_one_to_one + " domain=float"), "");
  EXPECT_EQ(int8_error(line + minus_one_to_minus_two + " domain=float"),
            "low must be at most high as float32");
  EXPECT_EQ(int8_error(line + minus_one_to_minus_two), "") << "ascending as int32";
}

TEST(VectorCheckTest, KeepsQuantizationForNarrowInt8RowsOfTheFloatDomain) {
  const std::string result = "vector acc=0 ub=0 quant=0x3f000000:3 ";
  EXPECT_EQ(int8_error(result + "domain=float format=narrow window=0:1"), "");
  EXPECT_EQ(int8_error(result + "format=narrow window=0:1"),
            "quant is for narrow int8 rows and domain=float");
  EXPECT_NE(int8_error(result + "domain=float"), "") << "wide";
  EXPECT_NE(bf16_error(result + "domain=float format=narrow window=0:1"), "");
  const std::string source = "vector a=0 a.window=0:1 ub=100 a.quant=0x3f000000:3 ";
  EXPECT_EQ(int8_error(source + "domain=float"), "");
  EXPECT_NE(int8_error(source), "");
  EXPECT_NE(bf16_error(source + "domain=float"), "");
  const std::string operand = "vector combine=mul acc=0 b=200 b.quant=0x3f000000:3 ub=0 ";
  EXPECT_EQ(int8_error(operand + "domain=float b.format=narrow b.window=0:1"), "");
  EXPECT_NE(int8_error(operand + "domain=float"), "") << "wide";
}

TEST(VectorCheckTest, FindsScalesAndZeroPointsThatAreNone) {
  const std::string line = "vector acc=0 ub=0 domain=float format=narrow window=0:1 quant=";
  for (const char* good : {"0x1:0", "0x7f7fffff:0", "0x3f000000:-128", "0x3f000000:127"}) {
    EXPECT_EQ(int8_error(line + good), "") << good;
  }
  for (const char* bad :
       {"0x0:0", "0x80000000:0", "0xbf800000:0", "0x7f800000:0", "0x7fc00000:0"}) {
    EXPECT_EQ(int8_error(line + bad), "the scale of quant must be finite and above 0") << bad;
  }
  EXPECT_EQ(int8_error(line + "0x3f000000:-129"), "the zero point of quant must be -128..127");
  EXPECT_NE(int8_error(line + "0x3f000000:128"), "");
}

TEST(VectorCheckTest, FindsAPaddingElementThatIsNone) {
  EXPECT_EQ(int8_error("vector a=0 a.pad=0xff ub=100 lanes=4"), "");
  EXPECT_NE(int8_error("vector a=0 a.pad=0x100 ub=100 lanes=4"), "");
  EXPECT_EQ(bf16_error("vector a=0 a.pad=0xff80 ub=100 lanes=4"), "");
  EXPECT_EQ(int8_error("vector a=0 a.pad=0x1 a.format=wide ub=100"),
            "a.pad is for narrow rows; padding of wide ones is +0");
}

TEST(VectorCheckTest, KeepsWhatIsReadApartFromWhatIsWritten) {
  const std::string narrow = " rows=4 lanes=4 fill=off format=narrow ";
  EXPECT_EQ(int8_error("vector a=0 ub=4" + narrow), "");
  EXPECT_EQ(int8_error("vector a=0 ub=3" + narrow),
            "reads UB rows 0 to 3 and writes rows from 3 on: an instruction may not write rows "
            "that it reads");
  EXPECT_EQ(int8_error("vector a=8 ub=4" + narrow), "");
  EXPECT_NE(int8_error("vector a=7 ub=4" + narrow), "");
  EXPECT_NE(int8_error("vector a=3 a.loops=4:-1 ub=0" + narrow), "");
  EXPECT_EQ(int8_error("vector combine=add acc=0 b=8 b.step=8 ub=0 rows=1"), "");
  EXPECT_EQ(int8_error("vector combine=add acc=0 b=16 b.step=8 ub=0 rows=2"), "");
  EXPECT_NE(int8_error("vector combine=add acc=0 b=15 b.step=8 ub=0 rows=2"), "");
  EXPECT_EQ(int8_error("vector acc=0 ub=8 bias=0"), "");
  EXPECT_NE(int8_error("vector acc=0 ub=7 bias=0"), "");
  EXPECT_NE(int8_error("vector acc=0 ub=8 bias=15"), "");
}

TEST(VectorCheckTest, LetsPlanesOfSourceAndResultLieBetweenEachOther) {
  const std::string line = "vector a=0 a.window=0:20 rows=4 format=narrow ";  // rows 0..3, 20..23
  EXPECT_EQ(int8_error(line + "ub=4 window=0:20"), "");
  EXPECT_EQ(int8_error(line + "ub=16 window=0:8"), "");
  EXPECT_NE(int8_error(line + "ub=17 window=0:8"), "");
  EXPECT_NE(int8_error(line + "ub=12 window=0:8"), "") << "the second plane is 20..23";
  EXPECT_EQ(int8_error(line + "ub=12 window=0:12"), "");
}

TEST(VectorCheckTest, LetsModeReadTheDestination) {
  EXPECT_EQ(int8_error("vector mode=add a=0 ub=4 rows=4 lanes=4 fill=off format=narrow"), "");
  EXPECT_NE(int8_error("vector mode=add a=4 ub=4 rows=4 lanes=4 fill=off format=narrow"), "");
}

TEST(BufferTileCheckTest, KeepsTheTileInsideTheArray) {
  EXPECT_EQ(int8_error("fetch buffer=0:4:8 window=0:100"), "");
  EXPECT_EQ(int8_error("fetch buffer=0:5:8 window=0:100"),
            "buffer takes 5 array rows from 0 on, but array.rows = 4");
  EXPECT_EQ(int8_error("fetch buffer=0:2:8 window=0:100 at=2"), "");
  EXPECT_NE(int8_error("fetch buffer=0:2:8 window=0:100 at=3"), "");
  EXPECT_NE(int8_error("fetch buffer=0:2:8 window=0:100 at=4294967295"), "");
  EXPECT_EQ(int8_error("fetch buffer=0:4:9 window=0:100"),
            "buffer takes 9 array columns, but array.cols = 8");
  EXPECT_EQ(int8_error("fetch buffer=0:8:4 transpose=on"), "");
  EXPECT_NE(int8_error("fetch buffer=0:9:4 transpose=on"), "");
  EXPECT_NE(int8_error("fetch buffer=0:8:5 transpose=on window=0:100"), "");
  EXPECT_EQ(int8_error("fetch buffer=0:8:1 transpose=on at=3"), "");
  EXPECT_NE(int8_error("fetch buffer=0:8:2 transpose=on at=3"), "");
}

TEST(BufferTileCheckTest, FindsATileOfNothing) {
  EXPECT_NE(int8_error("fetch buffer=0:0:4"), "");
  EXPECT_NE(int8_error("fetch buffer=0:4:0"), "");
}

TEST(BufferTileCheckTest, KeepsTheRowsInsideTheBuffer) {
  EXPECT_EQ(int8_error("fetch buffer=1020:4:4"), "");
  EXPECT_EQ(int8_error("fetch buffer=1021:4:4"),
            "buffer takes 4 UB rows from 1021 on, but unified_buffer.kib = 4 has 1024");
  EXPECT_EQ(int8_error("fetch buffer=920:4:5 window=0:100"), "");
  EXPECT_NE(int8_error("fetch buffer=921:4:5 window=0:100"), "");
  EXPECT_NE(int8_error("fetch buffer=0:4:5"), "") << "no distance between planes";
  EXPECT_NE(int8_error("fetch buffer=0:4:4 window=1:0"), "");
  EXPECT_NE(int8_error("fetch buffer=0:4:1 window=4:0"), "");
}

TEST(BufferTileCheckTest, NeedsNoTileOfWeightMemory) {
  Program program{4, 8, ElementType::kInt8, {}, {}, {{Fetch{0, BufferTile{}}, {}}}};
  program.tensors.push_back({"a", TensorRole::kActivation, ElementType::kInt8, 1, 1, 0});
  EXPECT_EQ(error_of(program, machine(ElementType::kInt8)), "");
  std::get<Fetch>(program.code[0].operation).tile = 1;
  EXPECT_NE(error_of(program, machine(ElementType::kInt8)), "");
}

}  // namespace
}  // namespace weft
