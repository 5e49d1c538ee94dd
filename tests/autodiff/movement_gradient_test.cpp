// Gradients of operators that move elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::uint64_t kMovementCases = 30;

/// Builds one case from a seed and returns its outputs.
using Build = std::vector<ValueId> (*)(Case& test, Random& random);

std::vector<ValueId> reshape(Case& test, Random& random) {
  const Shape shape = random_shape(random, 3);
  const ValueId x = test.variable(reals(random, shape));
  return {test.builder.add(Op::kReshape, {x, test.list({shape[0], -1})})};
}

std::vector<ValueId> flatten(Case& test, Random& random) {
  const ValueId x = test.variable(reals(random, random_shape(random, 4, 3)));
  return {test.builder.add(Op::kFlatten, {x}, {{"axis", between(random, -4, 4)}})};
}

std::vector<ValueId> squeeze(Case& test, Random& random) {
  const ValueId x = test.variable(reals(random, {1, between(random, 1, 4), 1}));
  if (chance(random)) return {test.builder.add(Op::kSqueeze, {x})};
  return {test.builder.add(Op::kSqueeze, {x, test.list({-1})})};
}

std::vector<ValueId> unsqueeze(Case& test, Random& random) {
  const ValueId x = test.variable(reals(random, random_shape(random, 2)));
  return {test.builder.add(Op::kUnsqueeze, {x, test.list({0, between(random, 1, 3)})})};
}

std::vector<ValueId> transpose(Case& test, Random& random) {
  const auto rank = between(random, 1, 4);
  Ints perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::ranges::shuffle(perm, random);
  const ValueId x = test.variable(reals(random, random_shape(random, perm.size())));
  if (between(random, 0, 3) == 0) return {test.builder.add(Op::kTranspose, {x})};
  return {test.builder.add(Op::kTranspose, {x}, {{"perm", perm}})};
}

std::vector<ValueId> concat(Case& test, Random& random) {
  Shape shape = random_shape(random, 3, 3);
  const std::int64_t axis = between(random, -3, 2);
  std::vector<ValueId> parts;
  for (std::int64_t i = between(random, 1, 4); i > 0; --i) {
    shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = between(random, 0, 3);
    parts.push_back(chance(random) ? test.variable(reals(random, shape))
                                   : test.fixed(reals(random, shape)));
  }
  if (test.wrt.empty()) parts.push_back(test.variable(reals(random, shape)));
  return {test.builder.add(Op::kConcat, parts, {{"axis", axis}})};
}

std::vector<ValueId> split(Case& test, Random& random) {
  const Ints parts = {between(random, 0, 2), between(random, 1, 3), between(random, 1, 3)};
  Shape shape = random_shape(random, 3, 3);
  const std::int64_t axis = between(random, -3, 2);
  shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = parts[0] + parts[1] + parts[2];
  const ValueId x = test.variable(reals(random, shape));
  const std::vector<ValueId> results =
      test.builder.add(Op::kSplit, {x, test.list(parts)}, {{"axis", axis}}, "split",
                       {"a", chance(random) ? "" : "b", "c"});
  return {results[2]};  // unused outputs get no gradient
}

std::vector<ValueId> slice(Case& test, Random& random) {
  const Shape shape = random_shape(random, 3, 7);
  Ints starts, ends, steps;
  for (const std::int64_t extent : shape) {
    const std::int64_t step = between(random, 1, 3);
    const bool back = chance(random);
    starts.push_back(back ? extent - 1 - between(random, 0, extent - 1)
                          : between(random, -extent, extent));
    ends.push_back(back ? -extent - 1 : extent - between(random, 0, extent - 1));
    steps.push_back(back ? -step : step);
  }
  const ValueId x = test.variable(reals(random, shape));
  return {test.builder.add(
      Op::kSlice, {x, test.list(starts), test.list(ends), test.list({0, 1, 2}), test.list(steps)})};
}

std::vector<ValueId> gather(Case& test, Random& random) {
  const Shape shape = random_shape(random, 3);
  const std::int64_t axis = between(random, -3, 2);
  const std::int64_t extent = shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)];
  const Shape places = random_shape(random, static_cast<std::size_t>(between(random, 0, 2)), 3);
  Ints indices(static_cast<std::size_t>(graph::element_count(places)));
  for (std::int64_t& index : indices) index = between(random, -extent, extent - 1);
  const ValueId x = test.variable(reals(random, shape));
  const Tensor tensor = Tensor::of<std::int64_t>(places, indices);
  const ValueId index = chance(random) ? test.builder.constant(tensor) : test.fixed(tensor);
  return {test.builder.add(Op::kGather, {x, index}, {{"axis", axis}})};
}

std::vector<ValueId> gather_by_int32(Case& test, Random& random) {
  const ValueId x = test.variable(reals(random, {4, 3}));
  const ValueId index = test.fixed(Tensor::of<std::int32_t>({2, 3}, {0, 3, -1, 1, 3, -4}));
  return {test.builder.add(Op::kGather, {x, index})};
}

std::vector<ValueId> expand(Case& test, Random& random) {
  const Shape shape = random_shape(random, 3, 3);
  Shape small(shape.begin() + between(random, 0, 3), shape.end());
  for (std::int64_t& extent : small) extent = chance(random) ? 1 : extent;
  return {test.builder.add(Op::kExpand, {test.variable(reals(random, small)), test.list(shape)})};
}

std::vector<ValueId> tile(Case& test, Random& random) {
  const ValueId x = test.variable(reals(random, random_shape(random, 3, 3)));
  return {test.builder.add(Op::kTile, {x, test.list(random_shape(random, 3, 3))})};
}

std::vector<ValueId> pad(Case& test, Random& random) {
  const Shape shape = {between(random, 4, 6), between(random, 4, 6)};
  Ints pads;
  for (int i = 0; i < 4; ++i) pads.push_back(between(random, -2, 2));
  const ValueId x = test.variable(reals(random, shape));
  return {test.builder.add(Op::kPad, {x, test.list(pads), test.number(0.5F)})};
}

struct Movement {
  const char* name;
  Build build;
};

class MovementGradientTest : public ::testing::TestWithParam<Movement> {};

TEST_P(MovementGradientTest, MovesBack) {
  for (std::uint64_t seed = 1; seed <= kMovementCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Case test;
    const std::vector<ValueId> outputs = GetParam().build(test, random);
    check_gradients(test, outputs, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Operators, MovementGradientTest,
    ::testing::Values(Movement{"Reshape", reshape}, Movement{"Flatten", flatten},
                      Movement{"Squeeze", squeeze}, Movement{"Unsqueeze", unsqueeze},
                      Movement{"Transpose", transpose}, Movement{"Concat", concat},
                      Movement{"Split", split}, Movement{"Slice", slice},
                      Movement{"Gather", gather}, Movement{"GatherByInt32", gather_by_int32},
                      Movement{"Expand", expand}, Movement{"Tile", tile}, Movement{"Pad", pad}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace weft::autodiff::testing
