// Operators along axes: reductions, ArgMax, Softmax.
#include <algorithm>
#include <limits>
#include <set>

#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Axes = std::vector<std::int64_t>;

// The index of the result element to which an input element contributes.
Index reduced_index(const Index& index, const std::set<std::int64_t>& axes, bool keep) {
  Index result;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const bool reduced = axes.contains(static_cast<std::int64_t>(d));
    if (!reduced || keep) result.push_back(reduced ? 0 : index[d]);
  }
  return result;
}

// The input elements of each result element, in input order.
struct Groups {
  Shape shape;
  std::vector<std::vector<double>> elements;

  Groups(const Naive& x, const std::set<std::int64_t>& axes, bool keep) {
    for (std::size_t d = 0; d < x.shape.size(); ++d) {
      const bool reduced = axes.contains(static_cast<std::int64_t>(d));
      if (!reduced || keep) shape.push_back(reduced ? 1 : x.shape[d]);
    }
    elements.resize(static_cast<std::size_t>(volume(shape)));
    for (std::int64_t i = 0; i < volume(x.shape); ++i) {
      const Index index = index_at(x.shape, i);
      elements[position(shape, reduced_index(index, axes, keep))].push_back(x(index));
    }
  }

  template <class Function>
  Naive map(Function function) const {
    Naive result(shape);
    std::transform(elements.begin(), elements.end(), result.values.begin(), function);
    return result;
  }
};

double sum(const std::vector<double>& elements) {
  double total = 0;
  for (const double x : elements) total += x;
  return total;
}

double product(const std::vector<double>& elements) {
  double total = 1;
  for (const double x : elements) total *= x;
  return total;
}

double mean(const std::vector<double>& elements) {
  return sum(elements) / static_cast<double>(elements.size());
}

double largest(const std::vector<double>& elements) {
  double result = -kInfinity;
  for (const double x : elements) result = x > result ? x : result;
  return result;
}

double smallest(const std::vector<double>& elements) {
  double result = kInfinity;
  for (const double x : elements) result = x < result ? x : result;
  return result;
}

Attributes reduce_attributes(const Axes& axes, bool keep) {
  Attributes attributes;
  attributes.set("keepdims", std::int64_t{keep});
  if (!axes.empty()) attributes.set("axes", axes);
  return attributes;
}

Tensor reduce(Op op, const Tensor& x, const Shape& shape, const Axes& axes, bool keep) {
  if (op != Op::kReduceSum) {
    return call(op, {&x}, ValueType{x.type(), shape}, reduce_attributes(axes, keep));
  }
  const Tensor axes_input = list(axes);
  return call(op, {&x, axes.empty() ? nullptr : &axes_input}, ValueType{x.type(), shape},
              reduce_attributes({}, keep));
}

// A random subset of the axes, some counted from the end; empty means all axes.
std::pair<Axes, std::set<std::int64_t>> random_axes(Random& random, std::int64_t rank) {
  Axes axes;
  std::set<std::int64_t> chosen;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (random.coin()) continue;
    chosen.insert(d);
    axes.push_back(random.coin() ? d : d - rank);
  }
  if (axes.empty()) {
    for (std::int64_t d = 0; d < rank; ++d) chosen.insert(d);
  }
  return {axes, chosen};
}

TEST(ReduceTest, AgreesWithGroupingTheElementsForRandomShapesAndAxes) {
  Random random(1);
  int partial = 0;
  int all = 0;
  for (int round = 0; round < 80; ++round) {
    const Shape shape = random.shape(5);
    const auto [axes, chosen] = random_axes(random, static_cast<std::int64_t>(shape.size()));
    const bool keep = random.coin();
    (chosen.size() == shape.size() ? all : partial) += 1;
    for (const DataType type : kNumberTypes) {
      const std::int64_t low = type == DataType::kUint8 ? 0 : -9;
      const Naive x = random.integers(shape, low, 9);
      const Tensor tensor = to_tensor(type, x);
      const Groups groups(x, chosen, keep);
      // Clang 14 cannot capture a structured binding by [&].
      const auto check = [&, &axes = axes](Op op, double (*function)(const std::vector<double>&)) {
        expect_equal(reduce(op, tensor, groups.shape, axes, keep), type, groups.map(function),
                     std::string(to_string(op)) + " of " + graph::to_string(shape));
      };
      check(Op::kReduceMax, largest);
      check(Op::kReduceMin, smallest);
      if (graph::size_bytes(type) >= 4) check(Op::kReduceSum, sum);
    }
    for (const DataType type : {DataType::kFloat32, DataType::kFloat64, DataType::kInt64}) {
      // Factors of 2 keep the products exact; there are at most 5^5 / 64 of them in 63 bits.
      Naive x = random.integers(shape, -1, 1);
      for (std::size_t i = 0; i < x.values.size(); ++i) {
        x.values[i] = i % 64 == 0                                    ? 2
                      : x.values[i] == 0 && random.integer(0, 9) > 0 ? 1
                                                                     : x.values[i];
      }
      const Groups factors(x, chosen, keep);
      expect_equal(reduce(Op::kReduceProd, to_tensor(type, x), factors.shape, axes, keep), type,
                   factors.map(product));
    }
    const Tensor tensor = to_tensor(DataType::kFloat64, random.integers(shape, -9, 9));
    const Groups groups(to_naive(tensor), chosen, keep);
    expect_equal(reduce(Op::kReduceMean, tensor, groups.shape, axes, keep), DataType::kFloat64,
                 groups.map(mean));
  }
  EXPECT_GT(partial, 0);
  EXPECT_GT(all, 0);
}

TEST(ReduceTest, SumsOfFloatsAreTakenInBinary64AndRoundedOnce) {
  Random random(2);
  const Tensor x = to_tensor(DataType::kFloat32, random.reals({7, 1000}, -1, 1));
  const Groups groups(to_naive(x), {1}, false);
  expect_equal(reduce(Op::kReduceSum, x, {7}, {1}, false), DataType::kFloat32,
               groups.map([](const auto& group) {
                 return static_cast<double>(static_cast<float>(sum(group)));
               }));
  expect_equal(reduce(Op::kReduceMean, x, {7}, {1}, false), DataType::kFloat32,
               groups.map([](const auto& group) {
                 return static_cast<double>(static_cast<float>(mean(group)));
               }));
}

TEST(ReduceTest, IntegerMeansAreTruncatedAndSumsWrap) {
  const Tensor x = Tensor::vector<std::int32_t>({-3, -4});
  EXPECT_EQ(reduce(Op::kReduceMean, x, {}, {}, false), Tensor::scalar<std::int32_t>(-3));
  const Tensor large = Tensor::vector<std::int32_t>({2147483647, 1});
  EXPECT_EQ(reduce(Op::kReduceSum, large, {}, {}, false),
            Tensor::scalar<std::int32_t>(std::numeric_limits<std::int32_t>::min()));
}

TEST(ReduceTest, WithoutAxesNothingOrEverythingIsReduced) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor none = list({});
  EXPECT_EQ(call(Op::kReduceSum, {&x, &none}, x.value_type(),
                 {{"noop_with_empty_axes", std::int64_t{1}}}),
            x);
  EXPECT_EQ(call(Op::kReduceSum, {&x, &none}, ValueType{x.type(), {1, 1}}),
            Tensor::of<float>({1, 1}, {10}));
  EXPECT_EQ(call(Op::kReduceSum, {&x}, ValueType{x.type(), {1, 1}}),
            Tensor::of<float>({1, 1}, {10}));
}

TEST(ReduceTest, ReductionsOfNothingAreTheirNeutralElements) {
  const Tensor x(DataType::kFloat32, {2, 0});
  const ValueType type{DataType::kFloat32, {2}};
  const auto of_nothing = [&](Op op) { return to_naive(reduce(op, x, {2}, {1}, false)).values; };
  EXPECT_EQ(of_nothing(Op::kReduceSum), (std::vector<double>{0, 0}));
  EXPECT_EQ(of_nothing(Op::kReduceMax), (std::vector<double>{-kInfinity, -kInfinity}));
  EXPECT_EQ(of_nothing(Op::kReduceMin), (std::vector<double>{kInfinity, kInfinity}));
  EXPECT_TRUE(std::isnan(of_nothing(Op::kReduceMean)[0]));
  const Tensor integers(DataType::kInt32, {0});
  EXPECT_THROW(reduce(Op::kReduceMean, integers, {}, {0}, false), InputError);
  EXPECT_EQ(reduce(Op::kReduceMax, integers, {}, {0}, false),
            Tensor::scalar(std::numeric_limits<std::int32_t>::min()));
}

TEST(ReduceTest, ResultsBeyondThisComputersMemoryAreRefused) {
  const std::int64_t huge = std::int64_t{1} << 50;
  const Tensor x(DataType::kFloat32, {huge, 0});
  EXPECT_THROW(reduce(Op::kReduceSum, x, {huge}, {1}, false), InputError);
  EXPECT_EQ(call(Op::kSoftmax, {&x}, x.value_type()), x);
}

TEST(ReduceTest, MaximaKeepNaNs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::vector<float>({1, nan, 3});
  EXPECT_TRUE(std::isnan(reduce(Op::kReduceMax, x, {}, {}, false).data<float>()[0]));
  EXPECT_TRUE(std::isnan(reduce(Op::kReduceMin, x, {}, {}, false).data<float>()[0]));
}

TEST(ReduceTest, AxesOutOfRangeAreRefused) {
  const Tensor x(DataType::kFloat32, {2, 2});
  EXPECT_THROW(reduce(Op::kReduceSum, x, {2}, {2}, false), InputError);
  EXPECT_THROW(reduce(Op::kReduceMax, x, {2}, {-3}, false), InputError);
}

Tensor arg_extreme(Op op, const Tensor& x, const Shape& shape, std::int64_t axis, bool keep,
                   bool last) {
  return call(op, {&x}, ValueType{DataType::kInt64, shape},
              {{"axis", axis},
               {"keepdims", std::int64_t{keep}},
               {"select_last_index", std::int64_t{last}}});
}

TEST(ArgMaxTest, AgreesWithAScanForRandomShapesAxesAndTies) {
  Random random(3);
  int ties = 0;
  for (int round = 0; round < 60; ++round) {
    Shape shape = random.shape(3);
    shape.push_back(random.integer(1, 5));
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t axis = random.integer(-rank, rank - 1);
    const bool keep = random.coin();
    const bool last = random.coin();
    for (const DataType type : kNumberTypes) {
      const Naive x = random.integers(shape, 0, 2);
      const Groups groups(x, {(axis + rank) % rank}, keep);
      for (const Op op : {Op::kArgMax, Op::kArgMin}) {
        const Naive expected = groups.map([&](const std::vector<double>& lane) {
          const double best = op == Op::kArgMax ? largest(lane) : smallest(lane);
          ties += std::count(lane.begin(), lane.end(), best) > 1;
          const auto first = std::find(lane.begin(), lane.end(), best) - lane.begin();
          const auto from_back = std::find(lane.rbegin(), lane.rend(), best) - lane.rbegin();
          return static_cast<double>(last ? std::ssize(lane) - 1 - from_back : first);
        });
        expect_equal(arg_extreme(op, to_tensor(type, x), groups.shape, axis, keep, last),
                     DataType::kInt64, expected);
      }
    }
  }
  EXPECT_GT(ties, 0);
}

TEST(ArgMaxTest, ANaNComesFirstAndNothingHasNoExtreme) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::vector<float>({1, nan, 3, nan, 2});
  const Tensor nothing(DataType::kFloat32, {0});
  for (const Op op : {Op::kArgMax, Op::kArgMin}) {
    EXPECT_EQ(arg_extreme(op, x, {}, 0, false, false), Tensor::scalar<std::int64_t>(1));
    EXPECT_EQ(arg_extreme(op, x, {}, 0, false, true), Tensor::scalar<std::int64_t>(3));
    EXPECT_THROW(arg_extreme(op, nothing, {}, 0, false, false), InputError);
  }
}

Naive softmax_oracle(const Naive& x, std::int64_t axis, bool log) {
  return {x.shape, [&](const Index& at) {
            const auto d = static_cast<std::size_t>(axis);
            long double sum = 0;
            Index other = at;
            for (other[d] = 0; other[d] < x.shape[d]; ++other[d]) {
              sum += std::exp(static_cast<long double>(x(other)));
            }
            const auto own = static_cast<long double>(x(at));
            return static_cast<double>(log ? own - std::log(sum) : std::exp(own) / sum);
          }};
}

TEST(SoftmaxTest, AgreesWithItsDefinitionAlongEveryAxis) {
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    Shape shape = random.shape(3);
    shape.push_back(random.integer(1, 6));
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t axis = random.integer(-rank, rank - 1);
    const Tensor x = to_tensor(DataType::kFloat32, random.reals(shape, -4, 4));
    for (const Op op : {Op::kSoftmax, Op::kLogSoftmax}) {
      const Naive expected =
          softmax_oracle(to_naive(x), (axis + rank) % rank, op == Op::kLogSoftmax);
      const Naive y = to_naive(call(op, {&x}, x.value_type(), {{"axis", axis}}));
      for (std::size_t i = 0; i < y.values.size(); ++i) {
        // Allows one rounding to binary32.
        ASSERT_NEAR(y.values[i], expected.values[i],
                    0x1p-23 * std::fmax(std::fabs(expected.values[i]), 0x1p-30));
      }
    }
  }
}

TEST(SoftmaxTest, LargeNumbersNeitherOverflowNorVanish) {
  for (const DataType type : kFloatTypes) {
    const Naive x({2, 3}, std::vector<double>{10000, 10000, -10000, -30000, -30000, -30000});
    const Tensor tensor = to_tensor(type, x);
    const Naive y = to_naive(call(Op::kSoftmax, {&tensor}, tensor.value_type()));
    EXPECT_EQ(y({0, 0}), 0.5);
    EXPECT_EQ(y({0, 2}), 0);
    EXPECT_NEAR(y({1, 0}), 1.0 / 3, 0x1p-12);
    const Naive log = to_naive(call(Op::kLogSoftmax, {&tensor}, tensor.value_type()));
    EXPECT_NEAR(log({0, 2}), -20000 - std::log(2.0), type == DataType::kFloat16 ? 8 : 0x1p-9);
  }
}

TEST(SoftmaxTest, EmptyTensorsAreTaken) {
  const Tensor empty(DataType::kFloat32, {0, 3});
  EXPECT_EQ(call(Op::kSoftmax, {&empty}, empty.value_type()), empty);
  const Tensor no_lane(DataType::kFloat32, {2, 0});
  EXPECT_EQ(call(Op::kSoftmax, {&no_lane}, no_lane.value_type()), no_lane);
}

}  // namespace
}  // namespace weft::reference
