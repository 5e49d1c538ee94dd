// Resize compared with worked examples (from the operator's specification where it has one) and
// with the definition of multilinear interpolation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240616;

Attributes modes(const std::string& mode, const std::string& coordinates,
                 const std::string& rounding = "round_prefer_floor") {
  return {
      {"mode", mode}, {"coordinate_transformation_mode", coordinates}, {"nearest_mode", rounding}};
}

Tensor by_scales(const Attributes& attributes, const Tensor& x, const std::vector<float>& scales) {
  return run(Op::kResize, attributes, {x, std::nullopt, Tensor::vector(scales)})[0];
}
Tensor by_sizes(const Attributes& attributes, const Tensor& x, const Ints& sizes) {
  return run(Op::kResize, attributes, {x, std::nullopt, std::nullopt, Tensor::vector(sizes)})[0];
}

TEST(ResizeTest, RepeatsNearestElements) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor y = by_scales(modes("nearest", "half_pixel"), x, {1, 1, 2, 3});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 4, 6}));
  EXPECT_EQ(values(y), (std::vector<double>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2,  //
                                            3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
}

// Four elements to eight, asymmetric: coordinates 0, 0.5, 1, 1.5 ... The halves show the mode.
TEST(ResizeTest, RoundsNearestCoordinatesAsAsked) {
  const Tensor x = Tensor::vector<float>({10, 11, 12, 13});
  const auto with = [&](const std::string& rounding) {
    return values(by_scales(modes("nearest", "asymmetric", rounding), x, {2}));
  };
  EXPECT_EQ(with("round_prefer_floor"), (std::vector<double>{10, 10, 11, 11, 12, 12, 13, 13}));
  EXPECT_EQ(with("round_prefer_ceil"), (std::vector<double>{10, 11, 11, 12, 12, 13, 13, 13}));
  EXPECT_EQ(with("floor"), (std::vector<double>{10, 10, 11, 11, 12, 12, 13, 13}));
  EXPECT_EQ(with("ceil"), (std::vector<double>{10, 11, 11, 12, 12, 13, 13, 13}));
  // Scaling by four gives the coordinates 0.25 and 0.75.
  const auto quarters = [&](const std::string& rounding) {
    return values(
        by_scales(modes("nearest", "asymmetric", rounding), Tensor::vector<float>({0, 1}), {4}));
  };
  EXPECT_EQ(quarters("round_prefer_floor"), (std::vector<double>{0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(quarters("round_prefer_ceil"), (std::vector<double>{0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(quarters("floor"), (std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(quarters("ceil"), (std::vector<double>{0, 1, 1, 1, 1, 1, 1, 1}));
}

// The specification's examples that resize two to four.
TEST(ResizeTest, PlacesCoordinatesAsAsked) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(values(by_scales(modes("linear", "half_pixel"), x, {1, 1, 2, 2})),
            (std::vector<double>{1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5,  //
                                 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4}));
  EXPECT_EQ(values(by_scales(modes("linear", "asymmetric"), x, {1, 1, 2, 2})),
            (std::vector<double>{1, 1.5, 2, 2, 2, 2.5, 3, 3, 3, 3.5, 4, 4, 3, 3.5, 4, 4}));
  const std::vector<double> corners =
      values(by_scales(modes("linear", "align_corners"), x, {1, 1, 2, 2}));
  EXPECT_NEAR(corners[1], 1 + 1.0 / 3, 4 * kUnit);
  EXPECT_NEAR(corners[5], 2, 4 * kUnit);
  EXPECT_EQ(corners[15], 4);
}

TEST(ResizeTest, PutsASingleOutputOfPytorchHalfPixelAtTheStart) {
  const Tensor x = Tensor::vector<float>({1, 2, 3, 4});
  EXPECT_EQ(values(by_sizes(modes("linear", "pytorch_half_pixel"), x, {1})),
            std::vector<double>{1});
  EXPECT_EQ(values(by_sizes(modes("linear", "half_pixel"), x, {1})), std::vector<double>{2.5});
  EXPECT_EQ(values(by_sizes(modes("linear", "align_corners"), x, {1})), std::vector<double>{1});
  EXPECT_EQ(values(by_sizes(modes("nearest", "tf_half_pixel_for_nn", "floor"), x, {2})),
            (std::vector<double>{2, 4}));
}

TEST(ResizeTest, KeepsElementsOfIntegersWhenNearest) {
  const Tensor x = Tensor::of<std::uint8_t>({1, 2}, {7, 200});
  EXPECT_EQ(values(by_sizes(modes("nearest", "half_pixel"), x, {2, 4})),
            (std::vector<double>{7, 7, 200, 200, 7, 7, 200, 200}));
}

TEST(ResizeTest, ReturnsTheInputAtScaleOne) {
  Generator generator(kSeed);
  const Tensor x = random_reals(generator, {2, 3, 4});
  for (const char* coordinates : {"half_pixel", "align_corners", "asymmetric"}) {
    EXPECT_EQ(by_scales(modes("linear", coordinates), x, {1, 1, 1}), x);
    EXPECT_EQ(by_scales(modes("nearest", coordinates), x, {1, 1, 1}), x);
  }
}

/// The exact coordinate of an output: half_pixel, by sizes.
double half_pixel(std::int64_t out, std::int64_t in_extent, std::int64_t out_extent) {
  const double x = (static_cast<double>(out) + 0.5) * static_cast<double>(in_extent) /
                       static_cast<double>(out_extent) -
                   0.5;
  return std::min(std::max(x, 0.0), static_cast<double>(in_extent - 1));
}

// The sum over all corners of the cell, each weighted by its proximity in every dimension.
TEST(ResizeTest, InterpolatesLinearlyInAllDimensions) {
  Generator generator(kSeed + 1);
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(testing::Message() << "resize " << i << " of seed " << kSeed + 1);
    Shape in;
    Shape out;
    const std::int64_t rank = between(generator, 1, 4);
    for (std::int64_t d = 0; d < rank; ++d) {
      in.push_back(between(generator, 1, 5));
      out.push_back(between(generator, 1, 7));
    }
    const Tensor x = random_reals<double>(generator, in);
    const std::vector<double> y = values(by_sizes(modes("linear", "half_pixel"), x, out));
    for (const Ints& at : coordinates(out)) {
      double expected = 0;
      for (const Ints& corner : coordinates(Shape(in.size(), 2))) {
        double weight = 1;
        Ints from;
        for (std::size_t d = 0; d < in.size(); ++d) {
          const double position = half_pixel(at[d], in[d], out[d]);
          const double rest = position - std::floor(position);
          weight *= corner[d] == 1 ? rest : 1 - rest;
          from.push_back(
              std::min(static_cast<std::int64_t>(std::floor(position)) + corner[d], in[d] - 1));
        }
        if (weight != 0) expected += weight * values(x)[offset(in, from)];
      }
      // Coordinates below 8 take three roundings in binary32. Elements differ by at most 2.
      const double bound = static_cast<double>(rank) * 2 * 3 * 8 * kUnit;
      ASSERT_NEAR(y[offset(out, at)], expected, bound);
    }
  }
}

TEST(ResizeTest, RefusesLinearInterpolationOfIntegers) {
  const Tensor x = Tensor::vector<std::int8_t>({1, 2});
  EXPECT_THROW(by_sizes(modes("linear", "half_pixel"), x, {4}), InputError);
}

/// Keys's cubic kernel at distance `d` from an element.
double cubic(double d, double a) {
  d = std::abs(d);
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

struct CubicCase {
  double a = -0.75;
  bool exclude = false;
};

/// The weight of element `i` for a point at `position`: its own, and at the ends that of all
/// elements that the end stands for. Or, without those, in relation to the sum of the weights
/// inside.
double cubic_share(std::int64_t i, std::int64_t extent, double position, const CubicCase& test) {
  double share = 0;
  double sum = 0;
  for (std::int64_t k = -4; k < extent + 4; ++k) {
    const double weight = cubic(static_cast<double>(k) - position, test.a);
    const std::int64_t inside = std::clamp<std::int64_t>(k, 0, extent - 1);
    if (test.exclude && inside != k) continue;
    sum += weight;
    if (inside == i) share += weight;
  }
  return test.exclude ? share / sum : share;
}

/// The sum over all elements, each with the product of its shares.
double interpolated(const std::vector<double>& x, const Shape& in,
                    const std::vector<double>& position, const CubicCase& test) {
  double sum = 0;
  for (const Ints& at : coordinates(in)) {
    double weight = 1;
    for (std::size_t d = 0; d < in.size(); ++d) {
      weight *= cubic_share(at[d], in[d], position[d], test);
    }
    sum += weight * x[offset(in, at)];
  }
  return sum;
}

// Scales are powers of two, so coordinates are exact in binary32, and only the sums round.
TEST(ResizeTest, InterpolatesCubicallyInAllDimensions) {
  Generator generator(kSeed + 2);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(testing::Message() << "resize " << i << " of seed " << kSeed + 2);
    const CubicCase test{i % 2 == 0 ? -0.75 : -0.5, i % 4 < 2};
    const bool asymmetric = i % 3 == 0;
    Shape in;
    std::vector<float> scales;
    for (std::int64_t d = between(generator, 1, 3); d > 0; --d) {
      in.push_back(2 * between(generator, 1, 3));
      scales.push_back(std::ldexp(0.5F, static_cast<int>(between(generator, 0, 3))));
    }
    Attributes attributes = modes("cubic", asymmetric ? "asymmetric" : "half_pixel");
    attributes.set("cubic_coeff_a", static_cast<float>(test.a));
    attributes.set("exclude_outside", std::int64_t{test.exclude});
    const Tensor x = random_reals<double>(generator, in);
    const Tensor y = by_scales(attributes, x, scales);
    for (const Ints& at : coordinates(y.shape())) {
      std::vector<double> position;
      for (std::size_t d = 0; d < in.size(); ++d) {
        const double half = asymmetric ? 0 : 0.5;
        position.push_back((static_cast<double>(at[d]) + half) / static_cast<double>(scales[d]) -
                           half);
      }
      ASSERT_NEAR(values(y)[offset(y.shape(), at)], interpolated(values(x), in, position, test),
                  1e-13);
    }
  }
}

/// The coordinate in the region from `begin` to `end`, parts of the axis.
double in_region(std::int64_t out, std::int64_t in_extent, std::int64_t out_extent, double begin,
                 double end) {
  const auto last = static_cast<double>(in_extent - 1);
  if (out_extent == 1) return (begin + end) / 2 * last;
  return (begin + static_cast<double>(out) / static_cast<double>(out_extent - 1) * (end - begin)) *
         last;
}

double linear_at(const std::vector<double>& x, double position) {
  const auto lower = static_cast<std::size_t>(position);
  const double rest = position - static_cast<double>(lower);
  return rest == 0 ? x[lower] : x[lower] * (1 - rest) + x[lower + 1] * rest;
}

// Regions in quarters and one more output than a power of two: coordinates are exact.
TEST(ResizeTest, CropsARegionAndExtrapolatesBeyondTheInput) {
  Generator generator(kSeed + 3);
  int outside = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(testing::Message() << "resize " << i << " of seed " << kSeed + 3);
    const std::int64_t in = between(generator, 1, 6);
    const std::int64_t out = i % 5 == 0 ? 1 : 1 + (std::int64_t{1} << between(generator, 0, 3));
    const auto begin = static_cast<float>(between(generator, -2, 5)) / 4;
    const auto end = static_cast<float>(between(generator, -2, 6)) / 4;
    const std::string mode = i % 3 == 0 ? "nearest" : i % 3 == 1 ? "linear" : "cubic";
    Attributes attributes = modes(mode, "tf_crop_and_resize", "floor");
    attributes.set("extrapolation_value", 10.0F);
    const Tensor x = random_reals<double>(generator, {2, in});
    const std::vector<double> all = values(x);
    const Tensor roi = Tensor::vector<float>({0, begin, 1, end});
    const Tensor sizes = Tensor::vector<std::int64_t>({2, out});
    const std::vector<double> y =
        values(run(Op::kResize, attributes, {x, roi, std::nullopt, sizes})[0]);
    for (std::int64_t k = 0; k < 2 * out; ++k) {
      const auto first = all.begin() + k / out * in;
      const std::vector<double> row(first, first + in);
      const double position = in_region(k % out, in, out, double{begin}, double{end});
      const bool inside = position >= 0 && position <= static_cast<double>(in - 1);
      outside += !inside;
      const double expected = !inside             ? 10
                              : mode == "nearest" ? row[static_cast<std::size_t>(position)]
                              : mode == "linear"  ? linear_at(row, position)
                                                  : interpolated(row, {in}, {position}, {});
      ASSERT_NEAR(y[static_cast<std::size_t>(k)], expected, 1e-13);
    }
  }
  EXPECT_GT(outside, 50);
}

TEST(ResizeTest, ExtrapolatesIntegersAndHalves) {
  const Tensor roi = Tensor::vector<float>({-1, 2});
  const Tensor sizes = Tensor::vector<std::int64_t>({4});
  Attributes attributes = modes("nearest", "tf_crop_and_resize", "floor");
  attributes.set("extrapolation_value", -3.5F);
  const Tensor x = Tensor::vector<std::int8_t>({7, 9});
  EXPECT_EQ(run(Op::kResize, attributes, {x, roi, std::nullopt, sizes})[0],
            Tensor::vector<std::int8_t>({-3, 7, 9, -3}));
  const auto half = [](std::uint16_t bits) { return graph::Half{bits}; };
  const Tensor halves = Tensor::vector<graph::Half>({half(0x3C00), half(0x4000)});  // 1, 2
  EXPECT_EQ(run(Op::kResize, attributes, {halves, roi, std::nullopt, sizes})[0],
            Tensor::vector<graph::Half>({half(0xC300), half(0x3C00), half(0x4000), half(0xC300)}));
}

TEST(ResizeTest, RefusesRegionsThatAreNoNumbers) {
  const Tensor x = Tensor::vector<float>({1, 2});
  const Tensor roi = Tensor::vector<float>({std::nanf(""), 1});
  EXPECT_THROW(run(Op::kResize, modes("linear", "tf_crop_and_resize"),
                   {x, roi, std::nullopt, Tensor::vector<std::int64_t>({4})}),
               InputError);
}

}  // namespace
}  // namespace weft::reference
