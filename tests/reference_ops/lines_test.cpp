// CumSum and TopK, line by line, against a scan and a sort.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

Shape line_shape(Random& random, std::int64_t least) {
  Shape shape = random.shape(3, 1, 4);
  shape.push_back(random.integer(least, 6));
  return shape;
}

TEST(CumSumTest, AddsTheElementsBeforeEachOneAlongTheAxis) {
  Random random(1);
  std::map<std::string, int> hits;
  for (int round = 0; round < 80; ++round) {
    const Shape shape = line_shape(random, 0);
    const std::int64_t rank = std::ssize(shape);
    const std::int64_t axis = random.integer(-rank, rank - 1);
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    const bool exclusive = random.coin();
    const bool reverse = random.coin();
    hits[std::string(exclusive ? "exclusive " : "") + (reverse ? "reverse" : "")]++;
    for (const DataType type : {DataType::kFloat16, DataType::kFloat32, DataType::kFloat64,
                                DataType::kInt32, DataType::kInt64}) {
      const Naive x = random.integers(shape, -9, 9);
      const Naive expected(shape, [&](const Index& at) {
        double sum = 0;
        Index other = at;
        for (other[d] = 0; other[d] < shape[d]; ++other[d]) {
          const bool before = reverse ? other[d] > at[d] : other[d] < at[d];
          if (before || (!exclusive && other[d] == at[d])) sum += x(other);
        }
        return sum;
      });
      const Tensor tensor = to_tensor(type, x);
      const Tensor along = random.coin() ? Tensor::scalar(axis) : list({axis});
      expect_equal(
          call(Op::kCumSum, {&tensor, &along}, tensor.value_type(),
               {{"exclusive", std::int64_t{exclusive}}, {"reverse", std::int64_t{reverse}}}),
          type, expected);
    }
  }
  EXPECT_EQ(hits.size(), 4U);
}

// 2^24 + 1 is no float32, but each partial sum is rounded on its own, from binary64.
TEST(CumSumTest, RoundsEachSumOfFloatsOnce) {
  const Tensor x = Tensor::vector<float>({16777216, 1, 1, 1});
  const Tensor axis = Tensor::scalar<std::int64_t>(0);
  EXPECT_EQ(call(Op::kCumSum, {&x, &axis}, x.value_type()),
            Tensor::vector<float>({16777216, 16777216, 16777218, 16777220}));
  const Tensor wide = Tensor::vector<std::int32_t>({std::numeric_limits<std::int32_t>::max(), 1});
  EXPECT_EQ(call(Op::kCumSum, {&wide, &axis}, wide.value_type()),
            Tensor::vector<std::int32_t>({std::numeric_limits<std::int32_t>::max(),
                                          std::numeric_limits<std::int32_t>::min()}));
  const Tensor beyond = Tensor::scalar<std::int64_t>(1);
  EXPECT_THROW(call(Op::kCumSum, {&x, &beyond}, x.value_type()), InputError);
}

std::vector<Tensor> top_k(const Tensor& x, const Shape& shape, std::int64_t axis, bool largest) {
  const Tensor k = list({1});  // the outputs' shape counts
  return call(Op::kTopK, {&x, &k},
              std::vector<ValueType>{{x.type(), shape}, {DataType::kInt64, shape}},
              {{"axis", axis}, {"largest", std::int64_t{largest}}});
}

TEST(TopKTest, AgreesWithAStableSortForRandomShapesAndTies) {
  Random random(2);
  for (int round = 0; round < 80; ++round) {
    const Shape shape = line_shape(random, 1);
    const std::int64_t rank = std::ssize(shape);
    const std::int64_t axis = random.integer(-rank, rank - 1);
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    const bool largest = random.coin();
    Shape result = shape;
    result[d] = random.integer(0, shape[d]);
    for (const DataType type : kNumberTypes) {
      const Naive x = random.integers(shape, 0, 3);
      const auto taken = [&](Index at) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(shape[d]));
        std::iota(order.begin(), order.end(), 0);
        const auto value = [&](std::int64_t place) {
          Index other = at;
          other[d] = place;
          return x(other);
        };
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
          return largest ? value(a) > value(b) : value(a) < value(b);
        });
        return order[static_cast<std::size_t>(at[d])];
      };
      const Naive indices(result, [&](const Index& at) { return static_cast<double>(taken(at)); });
      const Naive values(result, [&](Index at) {
        at[d] = taken(at);
        return x(at);
      });
      const auto outputs = top_k(to_tensor(type, x), result, axis, largest);
      expect_equal(outputs.at(0), type, values);
      expect_equal(outputs.at(1), DataType::kInt64, indices);
    }
  }
}

TEST(TopKTest, ANaNIsLargerThanEveryNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::vector<float>({1, nan, 3, nan, -2});
  EXPECT_EQ(top_k(x, {3}, 0, true).at(1), list({1, 3, 2}));
  EXPECT_EQ(top_k(x, {4}, 0, false).at(1), list({4, 0, 2, 1}));
}

}  // namespace
}  // namespace weft::reference
