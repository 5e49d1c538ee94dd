// Tensors must lie where program.h says, and impossible tensors must be refused.
#include "sim/isa/check/tensor_layout.h"

#include <gtest/gtest.h>

#include "tests/isa/input_error.h"

namespace weft {
namespace {

Program program_of(ElementType dtype, std::vector<TensorDecl> tensors) {
  return {4, 4, dtype, std::move(tensors), {}, {}};
}

TensorDecl activation(std::string name, std::uint64_t rows, std::uint64_t cols,
                      std::uint64_t base) {
  return {std::move(name), TensorRole::kActivation, ElementType::kInt8, rows, cols, base};
}

std::string tensors_error(const Program& program) {
  return testing_support::input_error([&] { validate_tensors(program); });
}

TEST(TensorExtentTest, CountsPaddedBlocks) {
  const Program int8 = program_of(ElementType::kInt8, {});
  // 6 columns have 2 k tiles of 4, each with 5 host rows.
  EXPECT_EQ(tensor_extent(activation("a", 5, 6, 0), int8), 10U);
  EXPECT_EQ(tensor_extent(activation("a", 5, 4, 0), int8), 5U);
  // 6 x 7 weights have 2 x 2 tiles.
  EXPECT_EQ(tensor_extent({"b", TensorRole::kWeights, ElementType::kInt8, 6, 7, 0}, int8), 4U);
  // 4 results of 4 bytes take 4 rows of 4 bytes. 7 columns have 2 n tiles.
  EXPECT_EQ(tensor_extent({"c", TensorRole::kBias, ElementType::kInt32, 1, 7, 0}, int8), 8U);
  EXPECT_EQ(tensor_extent({"o", TensorRole::kResult, ElementType::kInt32, 5, 7, 0}, int8), 40U);
  // Narrow results have the layout of activations: 2 blocks of 4 columns.
  EXPECT_EQ(tensor_extent({"s", TensorRole::kNarrow, ElementType::kInt8, 5, 7, 0}, int8), 10U);
  EXPECT_EQ(tensor_extent({"x", TensorRole::kImage, ElementType::kInt8, 5, 7, 0}, int8), 9U);
  // A bf16 row has 8 bytes, so a result row takes 2.
  const Program bf16 = program_of(ElementType::kBf16, {});
  EXPECT_EQ(tensor_extent({"o", TensorRole::kResult, ElementType::kFloat32, 5, 7, 0}, bf16), 20U);
}

TEST(TensorExtentTest, RoundsAResultRowUp) {
  Program program = program_of(ElementType::kInt8, {});
  program.array_rows = 5;  // 16 bytes of results in rows of 5 bytes
  EXPECT_EQ(result_row_rows(program), 4U);
  MachineConfig config;
  config.array_rows = 5;
  EXPECT_EQ(result_row_rows(program), config.result_row_rows());
}

TEST(ValidateTensorsTest, AcceptsTensorsSideBySide) {
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {activation("a", 5, 6, 10),
                                      activation("b", 5, 6, 0),
                                      {"w", TensorRole::kWeights, ElementType::kInt8, 6, 7, 3}})),
            "");
}

TEST(ValidateTensorsTest, FindsTensorsThatOverlap) {
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {activation("a", 5, 6, 0), activation("b", 1, 1, 10)})),
            "");
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {activation("a", 5, 6, 0), activation("b", 1, 1, 9)})),
            "tensor 'b': base 9 lies inside tensor 'a', which ends before 10");
}

TEST(ValidateTensorsTest, FindsNamesThatAreTakenOrNone) {
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {activation("a", 1, 1, 0), activation("a", 1, 1, 1)})),
            "tensor 'a': the name is taken");
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8, {activation("", 1, 1, 0)})), "");
}

TEST(ValidateTensorsTest, FindsTypesThatDoNotSuit) {
  EXPECT_EQ(tensors_error(program_of(ElementType::kBf16, {activation("a", 1, 1, 0)})),
            "tensor 'a': role activation on a bf16 machine has type bf16, not int8");
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {{"o", TensorRole::kResult, ElementType::kInt8, 1, 1, 0}})),
            "tensor 'o': role result on a int8 machine has type int32, not int8");
}

TEST(ValidateTensorsTest, TakesNarrowTensorsOfTheArraysType) {
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {{"s", TensorRole::kNarrow, ElementType::kInt8, 5, 7, 0}})),
            "");
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {{"s", TensorRole::kNarrow, ElementType::kInt32, 5, 7, 0}})),
            "tensor 's': role narrow on a int8 machine has type int8, not int32");
}

TEST(ValidateTensorsTest, TakesARowOfScalesAsABias) {
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8,
                                     {{"s", TensorRole::kBias, ElementType::kFloat32, 1, 7, 0}})),
            "");
  EXPECT_NE(tensors_error(program_of(ElementType::kBf16,
                                     {{"s", TensorRole::kBias, ElementType::kInt32, 1, 7, 0}})),
            "");
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8,
                                     {{"s", TensorRole::kResult, ElementType::kFloat32, 1, 7, 0}})),
            "");
}

TEST(ValidateTensorsTest, FindsSizesThatAreZeroOrOverflow) {
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8, {activation("a", 0, 1, 0)})), "");
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8, {activation("a", 1, 0, 0)})), "");
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 33U;
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8, {activation("a", kHuge, kHuge, 0)})), "");
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8, {activation("a", 2, 1, UINT64_MAX - 1)})),
            "");
  EXPECT_EQ(tensors_error(program_of(ElementType::kInt8, {activation("a", 1, 1, UINT64_MAX - 1)})),
            "");
  EXPECT_NE(tensors_error(program_of(ElementType::kInt8,
                                     {{"c", TensorRole::kBias, ElementType::kInt32, 2, 1, 0}})),
            "");
}

TEST(ValidateTensorsTest, FindsAnArrayThatIsNone) {
  Program program = program_of(ElementType::kInt8, {});
  EXPECT_EQ(tensors_error(program), "");
  program.array_rows = 0;
  EXPECT_NE(tensors_error(program), "");
  program = program_of(ElementType::kFloat32, {});
  EXPECT_NE(tensors_error(program), "");
}

TEST(ValidateTensorsTest, HoldsWhatIsComputedAgainstTheTensors) {
  Program program =
      program_of(ElementType::kInt8, {activation("a", 5, 6, 0),
                                      {"b", TensorRole::kWeights, ElementType::kInt8, 6, 7, 0},
                                      {"out", TensorRole::kResult, ElementType::kInt32, 5, 7, 10}});
  program.computes = MatmulSpec{5, 6, 7, false, Activation::kNone};
  EXPECT_EQ(tensors_error(program), "");
  program.computes->k = 5;
  EXPECT_NE(tensors_error(program), "");
  program.computes = MatmulSpec{5, 6, 7, true, Activation::kNone};
  const std::string no_bias =
      "computes matmul: needs a tensor bias of role bias, type int32 and shape 1 x 7";
  EXPECT_EQ(tensors_error(program), no_bias);
  program.tensors.push_back({"bias", TensorRole::kBias, ElementType::kFloat32, 1, 7, 100});
  EXPECT_EQ(tensors_error(program), no_bias) << "a row of scales";
  program.tensors.back().type = ElementType::kInt32;
  EXPECT_EQ(tensors_error(program), "");
  program.tensors.push_back(activation("b_rows", 6, 7, 200));
  EXPECT_EQ(tensors_error(program), "");
  program.tensors.back().rows = 5;
  EXPECT_EQ(tensors_error(program),
            "computes matmul: needs a tensor b_rows of role activation, type int8 and shape 6 x 7");
  program.tensors.back() = activation("other", 6, 7, 200);
  EXPECT_EQ(tensors_error(program),
            "tensor 'other': is none of a, b, bias, out and b_rows, which computes matmul names");
}

TEST(TensorMapTest, FindsOnlyWhatLiesInOneTensor) {
  const TensorMap map(
      program_of(ElementType::kInt8, {activation("b", 5, 6, 20), activation("a", 5, 6, 10)}),
      /*weight_memory=*/false);
  EXPECT_EQ(map.find(9, 1), nullptr);
  ASSERT_NE(map.find(10, 10), nullptr);
  EXPECT_EQ(map.find(10, 10)->index, 1U);
  EXPECT_EQ(map.find(10, 11), nullptr);  // reaches into the neighbor
  EXPECT_EQ(map.find(29, 1)->index, 0U);
  EXPECT_EQ(map.find(30, 1), nullptr);
  EXPECT_EQ(map.find(29, UINT64_MAX), nullptr);
}

}  // namespace
}  // namespace weft
