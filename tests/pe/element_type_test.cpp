#include "pe/element_type.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ElementTypeTest, NamesAndTypesAreInverse) {
  for (const ElementType type : {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16,
                                 ElementType::kInt32, ElementType::kFloat32}) {
    EXPECT_EQ(element_type_from_string(to_string(type)), type);
  }
}

TEST(ElementTypeTest, UnknownNamesGiveNothing) {
  EXPECT_EQ(element_type_from_string("int4"), std::nullopt);
  EXPECT_EQ(element_type_from_string(""), std::nullopt);
  EXPECT_EQ(element_type_from_string("INT8"), std::nullopt);
}

TEST(ElementTypeTest, ArrayTypesAccumulateInThirtyTwoBits) {
  EXPECT_EQ(accumulator_type(ElementType::kInt8), ElementType::kInt32);
  EXPECT_EQ(accumulator_type(ElementType::kBf16), ElementType::kFloat32);
  EXPECT_EQ(accumulator_type(ElementType::kFp16), ElementType::kFloat32);
  EXPECT_FALSE(is_array_type(ElementType::kInt32));
  EXPECT_FALSE(is_array_type(ElementType::kFloat32));
}

TEST(ElementTypeTest, SizesAreTheStoredBytes) {
  EXPECT_EQ(element_bytes(ElementType::kInt8), 1U);
  EXPECT_EQ(element_bytes(ElementType::kBf16), 2U);
  EXPECT_EQ(element_bytes(ElementType::kFp16), 2U);
  EXPECT_EQ(element_bytes(ElementType::kInt32), 4U);
  EXPECT_EQ(element_bytes(ElementType::kFloat32), 4U);
}

}  // namespace
}  // namespace weft
