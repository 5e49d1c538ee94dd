// Tests tensors, shapes and attributes.
#include "compiler/graph/tensor.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/graph/attributes.h"

namespace weft::graph {
namespace {

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({2, 0, 4}), 0);
}

TEST(ShapeTest, RefusesNegativeExtentsAndOverflow) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THROW(element_count({2, -1}), InputError);
  EXPECT_THROW(element_count({huge, huge}), InputError);
  EXPECT_THROW(element_count({0, huge, huge}), InputError);
  EXPECT_THROW(element_count({huge, huge, 0}), InputError);
}

TEST(ShapeTest, HasRowMajorStrides) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), Shape({12, 4, 1}));
  EXPECT_EQ(row_major_strides({}), Shape({}));
}

TEST(ShapeTest, IsWrittenWithCrosses) {
  EXPECT_EQ(to_string(Shape{1, 3, 224}), "1x3x224");
  EXPECT_EQ(to_string(ValueType{DataType::kInt8, {}}), "int8 scalar");
}

TEST(TensorTest, StartsAsZeros) {
  const Tensor tensor(DataType::kInt32, {2, 2});
  for (const std::int32_t value : tensor.data<std::int32_t>()) EXPECT_EQ(value, 0);
  EXPECT_EQ(tensor.bytes().size(), 16U);
}

TEST(TensorTest, CopiesShareElementsUntilOneIsWritten) {
  Tensor original = Tensor::vector<float>({1, 2, 3});
  Tensor copy = original;
  EXPECT_EQ(copy.bytes().data(), original.bytes().data());
  copy.mutable_data<float>()[1] = 7;
  EXPECT_NE(copy.bytes().data(), original.bytes().data());
  EXPECT_EQ(original, Tensor::vector<float>({1, 2, 3}));
  EXPECT_EQ(copy, Tensor::vector<float>({1, 7, 3}));
}

TEST(TensorTest, WritesInPlaceIfNothingElseShares) {
  Tensor tensor = Tensor::vector<float>({1, 2, 3});
  const std::byte* before = tensor.bytes().data();
  tensor.mutable_data<float>()[0] = 5;
  EXPECT_EQ(tensor.bytes().data(), before);
}

TEST(TensorTest, ReshapesWithoutCopying) {
  const Tensor tensor = Tensor::vector<float>({1, 2, 3, 4, 5, 6});
  const Tensor matrix = tensor.reshaped({2, 3});
  EXPECT_EQ(matrix.shape(), Shape({2, 3}));
  EXPECT_EQ(matrix.bytes().data(), tensor.bytes().data());
  EXPECT_THROW(tensor.reshaped({4}), InputError);
}

TEST(TensorTest, ComparesTypeShapeAndBytes) {
  const Tensor tensor = Tensor::vector<std::int32_t>({1, 2});
  EXPECT_EQ(tensor, Tensor::vector<std::int32_t>({1, 2}));
  EXPECT_FALSE(tensor == tensor.reshaped({1, 2}));
  EXPECT_FALSE(tensor == Tensor::vector<std::int32_t>({1, 3}));
  EXPECT_FALSE(Tensor::vector<std::int8_t>({1}) == Tensor::vector<std::uint8_t>({1}));
}

TEST(TensorTest, RefusesMoreThanTheMemory) {
  EXPECT_THROW(Tensor(DataType::kFloat64, {std::int64_t{1} << 60}), InputError);
  EXPECT_THROW(Tensor(DataType::kFloat64, {std::int64_t{1} << 62, 8}), InputError);
  EXPECT_THROW(Tensor(DataType::kInt8, {-1}), InputError);
}

TEST(TensorTest, ReadsIntegersOfBothWidths) {
  EXPECT_EQ(to_int64(Tensor::vector<std::int64_t>({-1, 5})), Shape({-1, 5}));
  EXPECT_EQ(to_int64(Tensor::vector<std::int32_t>({-1, 5})), Shape({-1, 5}));
  EXPECT_THROW(to_int64(Tensor::vector<float>({1})), InputError);
}

TEST(AttributesTest, GiveTheirValueOrTheOther) {
  const Attributes attributes = {{"axis", std::int64_t{3}}, {"mode", "linear"}, {"alpha", 0.5F}};
  EXPECT_EQ(attributes.integer("axis", 0), 3);
  EXPECT_EQ(attributes.integer("group", 1), 1);
  EXPECT_EQ(attributes.text("mode", ""), "linear");
  EXPECT_EQ(attributes.real("alpha", 0), 0.5F);
  EXPECT_EQ(attributes.tensor("value"), nullptr);
  EXPECT_THROW(attributes.real("axis", 0), InputError);
}

TEST(DataTypeTest, NamesAndSizesAgree) {
  for (const DataType type :
       {DataType::kFloat16, DataType::kFloat32, DataType::kFloat64, DataType::kInt8,
        DataType::kUint8, DataType::kInt32, DataType::kInt64, DataType::kBool}) {
    EXPECT_EQ(data_type_from_string(to_string(type)), type);
    with_type(type, [&]<class T>(T) {
      EXPECT_EQ(data_type_of<T>(), type);
      EXPECT_EQ(size_bytes(type), sizeof(T));
    });
  }
  EXPECT_EQ(data_type_from_string("float8"), std::nullopt);
}

}  // namespace
}  // namespace weft::graph
