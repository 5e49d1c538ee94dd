// Operators that make elements from shapes and scalars.
#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

TEST(ShapeTest, StartAndEndCutAsSlicesDo) {
  const Tensor x(DataType::kFloat32, {2, 0, 5});
  const auto cut = [&](const Attributes& attributes, std::int64_t count) {
    return call(Op::kShape, {&x}, ValueType{DataType::kInt64, {count}}, attributes);
  };
  EXPECT_EQ(cut({}, 3), list({2, 0, 5}));
  EXPECT_EQ(cut({{"start", std::int64_t{1}}}, 2), list({0, 5}));
  EXPECT_EQ(cut({{"end", std::int64_t{-1}}}, 2), list({2, 0}));
  EXPECT_EQ(cut({{"start", std::int64_t{-1}}, {"end", std::int64_t{9}}}, 1), list({5}));
  EXPECT_EQ(cut({{"start", std::int64_t{2}}, {"end", std::int64_t{1}}}, 0), list({}));
}

TEST(ConstantOfShapeTest, FillsWithItsValueOrZero) {
  const Tensor shape = list({2, 3});
  for (const DataType type : kAllTypes) {
    const Tensor one = to_tensor(type, Naive({1}, std::vector<double>{1}));
    expect_equal(call(Op::kConstantOfShape, {&shape}, ValueType{type, {2, 3}}, {{"value", one}}),
                 type, Naive({2, 3}, std::vector<double>(6, 1.0)));
  }
  EXPECT_EQ(call(Op::kConstantOfShape, {&shape}, ValueType{DataType::kFloat32, {2, 3}}),
            Tensor(DataType::kFloat32, {2, 3}));
}

template <class T>
Tensor range(T start, T limit, T delta, std::int64_t count) {
  const Tensor inputs[] = {Tensor::scalar<T>(start), Tensor::scalar<T>(limit),
                           Tensor::scalar<T>(delta)};
  return call(Op::kRange, {&inputs[0], &inputs[1], &inputs[2]},
              ValueType{graph::data_type_of<T>(), {count}});
}

TEST(RangeTest, CountsFromStartByDelta) {
  EXPECT_EQ(range<std::int64_t>(10, 4, -2, 3), list({10, 8, 6}));
  EXPECT_EQ(range<std::int32_t>(3, 3, 1, 0), Tensor(DataType::kInt32, {0}));
  EXPECT_EQ(range<double>(1, 2, 0.25, 4), Tensor::vector<double>({1, 1.25, 1.5, 1.75}));
}

// start + i * delta, because the errors of a running sum would add up.
TEST(RangeTest, FloatsAreNotSummedUp) {
  const Tensor x = range<float>(0, 100, 0.1F, 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(x.data<float>()[i], static_cast<float>(i) * 0.1F);
  }
}

}  // namespace
}  // namespace weft::reference
