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

}  // namespace
}  // namespace weft::reference
