// Gradients of operators whose indices name elements, also if several indices name one element.
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::uint64_t kIndexedCases = 40;

std::size_t at(std::int64_t d) {
  return static_cast<std::size_t>(d);
}

/// A constant, or an input that is known only when the network runs.
ValueId indices(Case& test, Random& random, const Tensor& tensor) {
  return chance(random) ? test.builder.constant(tensor) : test.fixed(tensor);
}

Tensor element_indices(Random& random, const Shape& data, std::int64_t axis) {
  Shape shape = data;
  for (std::int64_t& extent : shape) extent = between(random, 1, extent);
  shape[at(axis)] = between(random, 1, 5);
  Ints values(at(graph::element_count(shape)));
  const std::int64_t extent = data[at(axis)];
  for (std::int64_t& value : values) value = between(random, -extent, extent - 1);
  return Tensor::of<std::int64_t>(shape, values);
}

/// Tuples that name runs of `data`; `places` is the shape of the indices without them.
Tensor tuples(Random& random, const Shape& data, std::int64_t first, std::int64_t length,
              Shape places) {
  Ints values;
  for (std::int64_t i = 0; i < graph::element_count(places); ++i) {
    for (std::int64_t d = 0; d < length; ++d) {
      const std::int64_t extent = data[at(first + d)];
      values.push_back(between(random, -extent, extent - 1));
    }
  }
  places.push_back(length);
  return Tensor::of<std::int64_t>(places, values);
}

ValueId gather_elements(Case& test, Random& random) {
  const Shape shape = random_shape(random, at(between(random, 1, 3)));
  const auto rank = std::ssize(shape);
  const std::int64_t axis = between(random, 0, rank - 1);
  const ValueId index = indices(test, random, element_indices(random, shape, axis));
  return test.builder.add(Op::kGatherElements, {test.variable(reals(random, shape)), index},
                          {{"axis", chance(random) ? axis : axis - rank}});
}

ValueId gather_nd(Case& test, Random& random) {
  const Shape shape = random_shape(random, at(between(random, 1, 4)));
  const auto rank = std::ssize(shape);
  const std::int64_t batch = between(random, 0, rank - 1);
  Shape places(shape.begin(), shape.begin() + batch);
  for (const std::int64_t extent : random_shape(random, at(between(random, 0, 2)), 3)) {
    places.push_back(extent);
  }
  const std::int64_t length = between(random, 1, rank - batch);
  const ValueId index = indices(test, random, tuples(random, shape, batch, length, places));
  return test.builder.add(Op::kGatherNd, {test.variable(reals(random, shape)), index},
                          {{"batch_dims", batch}});
}

std::string reduction(Random& random) {
  return chance(random) ? "none" : "add";
}

ValueId scatter_elements(Case& test, Random& random) {
  const Shape shape = random_shape(random, at(between(random, 1, 3)));
  const std::int64_t axis = between(random, 0, std::ssize(shape) - 1);
  const Tensor index = element_indices(random, shape, axis);
  const ValueId data = test.variable(reals(random, shape));
  const ValueId updates = test.variable(reals(random, index.shape()));
  return test.builder.add(Op::kScatterElements, {data, indices(test, random, index), updates},
                          {{"axis", axis}, {"reduction", reduction(random)}});
}

ValueId scatter_nd(Case& test, Random& random) {
  const Shape shape = random_shape(random, at(between(random, 1, 3)));
  const std::int64_t length = between(random, 1, std::ssize(shape));
  Shape places = random_shape(random, at(between(random, 0, 2)));
  const Tensor index = tuples(random, shape, 0, length, places);
  places.insert(places.end(), shape.begin() + length, shape.end());
  const ValueId data = test.variable(reals(random, shape));
  const ValueId updates = test.variable(reals(random, places));
  return test.builder.add(Op::kScatterNd, {data, indices(test, random, index), updates},
                          {{"reduction", reduction(random)}});
}

struct Indexed {
  const char* name;
  ValueId (*build)(Case& test, Random& random);
};

class IndexedGradientTest : public ::testing::TestWithParam<Indexed> {};

TEST_P(IndexedGradientTest, AgreesWithDifferences) {
  for (std::uint64_t seed = 1; seed <= kIndexedCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Case test;
    const ValueId y = GetParam().build(test, random);
    check_gradients(test, {y}, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, IndexedGradientTest,
                         ::testing::Values(Indexed{"GatherElements", gather_elements},
                                           Indexed{"GatherND", gather_nd},
                                           Indexed{"ScatterElements", scatter_elements},
                                           Indexed{"ScatterND", scatter_nd}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(IndexedGradientTest, OtherReductionsAreRefused) {
  Builder builder("scatter");
  const ValueId x = builder.input("x", {DataType::kFloat32, {3}});
  const ValueId index = builder.constant(Tensor::of<std::int64_t>({1, 1}, {2}));
  const ValueId update = builder.constant(floats({1}, {2}));
  builder.output(builder.add(Op::kScatterNd, {x, index, update}, {{"reduction", "mul"}}, "culprit"),
                 "y");
  const Graph network = builder.finish();
  try {
    gradient_graph(network, {"x"});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "node 'culprit' (ScatterND): training: only the reductions none and add have a "
                 "gradient");
  }
}

}  // namespace
}  // namespace weft::autodiff::testing
