// Views, checked against an explicit list of element positions.
#include "compiler/rows/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "tests/schedule/random.h"

namespace weft::compiler {
namespace {

using testing::Random;

constexpr std::uint64_t kViewCases = 3000;

struct Place {
  std::int64_t row = 0;
  std::int64_t channel = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// A tensor's elements in row-major order, each with its row and channel.
struct Places {
  Shape shape;
  std::vector<Place> at;
};

/// Calls function(index) for every index of `shape` in row-major order.
template <class Function>
void for_each_index(const Shape& shape, Function&& function) {
  Shape index(shape.size(), 0);
  for (std::int64_t left = graph::element_count(shape); left > 0; --left) {
    function(index);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

std::size_t linear(const Shape& shape, const Shape& index) {
  std::int64_t result = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    result = result * shape[axis] + index[axis];
  }
  return static_cast<std::size_t>(result);
}

/// The position of every element of a view.
Places places_of(const View& view) {
  Places places{view.shape(), {}};
  for_each_index(places.shape, [&](const Shape& index) {
    Place place{view.row, view.channel};
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      place.row += index[axis] * view.dims[axis].row_step;
      place.channel += index[axis] * view.dims[axis].channel_step;
    }
    places.at.push_back(place);
  });
  return places;
}

/// Channel = the index along the axis, row = the rank among the other indices.
Places dense_places(const Shape& shape, std::size_t channel_axis) {
  Places places{shape, {}};
  for_each_index(shape, [&](const Shape& index) {
    Shape other_shape = shape;
    Shape other = index;
    other_shape[channel_axis] = 1;
    other[channel_axis] = 0;
    places.at.push_back(
        {static_cast<std::int64_t>(linear(other_shape, other)), index[channel_axis]});
  });
  return places;
}

Places transposed_places(const Places& from, const std::vector<std::int64_t>& perm) {
  Places to;
  for (const std::int64_t axis : perm)
    to.shape.push_back(from.shape[static_cast<std::size_t>(axis)]);
  for_each_index(to.shape, [&](const Shape& index) {
    Shape source(index.size());
    for (std::size_t i = 0; i < perm.size(); ++i)
      source[static_cast<std::size_t>(perm[i])] = index[i];
    to.at.push_back(from.at[linear(from.shape, source)]);
  });
  return to;
}

Places sliced_places(const Places& from, std::size_t axis, std::int64_t begin, std::int64_t extent,
                     std::int64_t step) {
  Places to{from.shape, {}};
  to.shape[axis] = extent;
  for_each_index(to.shape, [&](Shape index) {
    index[axis] = begin + index[axis] * step;
    to.at.push_back(from.at[linear(from.shape, index)]);
  });
  return to;
}

/// True if each axis has one fixed step along rows and one along channels.
bool has_steps(const Places& places) {
  std::vector<Place> steps(places.shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = places.shape.size(); axis-- > 0;) {
    if (places.shape[axis] > 1) {
      const Place& next = places.at[static_cast<std::size_t>(stride)];
      steps[axis] = {next.row - places.at[0].row, next.channel - places.at[0].channel};
    }
    stride *= places.shape[axis];
  }
  bool regular = true;
  for_each_index(places.shape, [&](const Shape& index) {
    Place expected = places.at[0];
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      expected.row += index[axis] * steps[axis].row;
      expected.channel += index[axis] * steps[axis].channel;
    }
    regular = regular && expected == places.at[linear(places.shape, index)];
  });
  return regular;
}

Shape random_shape(Random& random) {
  Shape shape(static_cast<std::size_t>(random.between(1, 5)));
  for (std::int64_t& extent : shape) extent = random.between(1, 4);
  return shape;
}

/// A random shape with as many elements; some extents are 1.
Shape random_reshape(const Shape& shape, Random& random) {
  Shape factors;
  for (std::int64_t rest = graph::element_count(shape); rest > 1;) {
    std::int64_t factor = 2;
    while (rest % factor != 0) ++factor;
    rest /= factor;
    const bool joins = !factors.empty() && random.chance(40);
    if (joins) {
      factors[static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(factors.size()) - 1))] *= factor;
    } else {
      factors.insert(factors.begin() + random.between(0, static_cast<std::int64_t>(factors.size())),
                     factor);
    }
  }
  while (random.chance(30)) {
    factors.insert(factors.begin() + random.between(0, static_cast<std::int64_t>(factors.size())),
                   1);
  }
  return factors;
}

void expect_places(const View& view, const Places& expected) {
  const Places found = places_of(view);
  ASSERT_EQ(found.shape, expected.shape);
  ASSERT_EQ(found.at, expected.at);
}

void check_reshape(View& view, Places& places, Random& random, std::map<std::string, int>& hits) {
  const Shape shape = random_reshape(places.shape, random);
  const auto result = reshaped(view, shape);
  const Places expected{shape, places.at};
  ASSERT_EQ(result.has_value(), has_steps(expected))
      << graph::to_string(places.shape) << " to " << graph::to_string(shape);
  ++hits[result ? "reshaped" : "not reshaped"];
  if (!result) return;
  view = *result;
  places = expected;
}

void check_transpose(View& view, Places& places, Random& random) {
  std::vector<std::int64_t> perm(places.shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i-- > 1;) {
    std::swap(perm[i],
              perm[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)))]);
  }
  view = transposed(view, perm);
  places = transposed_places(places, perm);
}

void check_slice(View& view, Places& places, Random& random) {
  if (places.shape.empty()) return;
  const auto axis = static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(places.shape.size()) - 1));
  const std::int64_t whole = places.shape[axis];
  const std::int64_t begin = random.between(0, whole - 1);
  const std::int64_t step = random.between(1, 3);
  const std::int64_t extent = random.between(1, (whole - begin + step - 1) / step);
  view = sliced(view, axis, begin, extent, step);
  places = sliced_places(places, axis, begin, extent, step);
}

TEST(ViewTest, ChainsOfReshapeTransposeAndSliceKnowWhereEachElementLies) {
  std::cout << "seeds 0 to " << kViewCases - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < kViewCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const Shape shape = random_shape(random);
    const auto axis =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1));
    View view = dense_view(7, shape, axis);
    Places places = dense_places(shape, axis);
    ASSERT_NO_FATAL_FAILURE(expect_places(view, places));
    for (int step = 0; step < 4; ++step) {
      switch (random.between(0, 2)) {
        case 0:
          ASSERT_NO_FATAL_FAILURE(check_reshape(view, places, random, hits));
          break;
        case 1:
          check_transpose(view, places, random);
          ++hits["transposed"];
          break;
        default:
          check_slice(view, places, random);
          ++hits["sliced"];
      }
      ASSERT_NO_FATAL_FAILURE(expect_places(view, places));
      ASSERT_EQ(view.sheet, 7U);
    }
  }
  for (const char* name : {"reshaped", "not reshaped", "transposed", "sliced"}) {
    EXPECT_GE(hits[name], 200) << name;
  }
}

TEST(ViewTest, ADenseSheetHoldsEveryElementOnce) {
  const Shape shape{2, 3, 4, 5};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const SheetSize size = dense_sheet(shape, axis);
    EXPECT_EQ(size.channels, shape[axis]);
    std::set<Place> seen;
    for (const Place& place : places_of(dense_view(0, shape, axis)).at) {
      EXPECT_TRUE(place.row >= 0 && place.row < size.rows);
      EXPECT_TRUE(place.channel >= 0 && place.channel < size.channels);
      EXPECT_TRUE(seen.insert(place).second);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(size.rows * size.channels));
  }
}

TEST(ViewTest, ImagesHaveTheirChannelsSecondAndMatricesLast) {
  EXPECT_EQ(image_channel_axis(4), 1U);
  EXPECT_EQ(image_channel_axis(3), 1U);
  EXPECT_EQ(image_channel_axis(2), 1U);
  EXPECT_EQ(image_channel_axis(1), 0U);
  EXPECT_EQ(image_channel_axis(0), 0U);
  EXPECT_EQ(last_channel_axis(4), 3U);
  EXPECT_EQ(last_channel_axis(0), 0U);
  EXPECT_EQ(dense_sheet({}, 0), SheetSize{});
  EXPECT_EQ(dense_sheet({3, 0, 2}, 1), (SheetSize{0, 0}));
}

TEST(ViewTest, HeadsAreReshapedAndTransposedWithoutMoving) {
  // [batch 2, tokens 3, hidden 8] as 4 heads of 2: [2, 4, 3, 2].
  const View hidden = dense_view(0, {2, 3, 8}, 2);
  const auto split = reshaped(hidden, {2, 3, 4, 2});
  ASSERT_TRUE(split.has_value());
  const View heads = transposed(*split, std::vector<std::int64_t>{0, 2, 1, 3});
  EXPECT_EQ(heads.dims, (std::vector<ViewDim>{{2, 3, 0}, {4, 0, 2}, {3, 1, 0}, {2, 0, 1}}));
  EXPECT_TRUE(is_channel_axis(heads, 3));
  EXPECT_FALSE(is_channel_axis(heads, 1)) << "heads are two channels apart";
  EXPECT_TRUE(is_row_axis(heads, 0));
  EXPECT_TRUE(is_row_axis(heads, 2));
  EXPECT_FALSE(is_row_axis(heads, 3));
}

TEST(ViewTest, ImagesAreNotFlattenedWithoutMoving) {
  const View image = dense_view(0, {2, 3, 4, 5}, 1);
  EXPECT_FALSE(reshaped(image, {2, 60}).has_value());
  EXPECT_TRUE(reshaped(image, {2, 3, 20}).has_value());
  EXPECT_TRUE(reshaped(dense_view(0, {2, 3, 1, 1}, 1), {2, 3}).has_value());
}

TEST(ViewTest, ADimensionOfOneElementLiesAnyhow) {
  const View view = dense_view(0, {1, 6}, 1);
  EXPECT_TRUE(is_channel_axis(view, 0));
  EXPECT_TRUE(is_row_axis(view, 0));
}

}  // namespace
}  // namespace weft::compiler
