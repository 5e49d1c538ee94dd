// Gradients of Conv and ConvTranspose over one to three dimensions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::uint64_t kConvolutionCases = 120;

Ints draw_each(Random& random, std::size_t count, std::int64_t low, std::int64_t high) {
  Ints values(count);
  for (std::int64_t& value : values) value = between(random, low, high);
  return values;
}

bool any_above(const Ints& values, std::int64_t limit) {
  return std::ranges::any_of(values, [limit](std::int64_t value) { return value > limit; });
}

struct Geometry {
  std::size_t rank;
  std::int64_t groups, batch;
  Ints kernel, strides, dilations, pads;
  std::string auto_pad;
};

Geometry draw_geometry(Random& random) {
  static const std::array<std::string, 4> kAuto = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  Geometry result = {};
  result.rank = static_cast<std::size_t>(between(random, 1, 3));
  result.groups = between(random, 1, 3);
  result.batch = between(random, 1, 3);
  result.kernel = draw_each(random, result.rank, 1, 3);
  result.strides = draw_each(random, result.rank, 1, 3);
  result.dilations = draw_each(random, result.rank, 1, 2);
  result.pads = draw_each(random, 2 * result.rank, 0, 2);
  result.auto_pad =
      kAuto[static_cast<std::size_t>(std::max<std::int64_t>(0, between(random, -3, 3)))];
  return result;
}

Attributes attributes_of(const Geometry& geometry) {
  Attributes attributes = {
      {"strides", geometry.strides}, {"dilations", geometry.dilations}, {"group", geometry.groups}};
  if (geometry.auto_pad != "NOTSET") attributes.set("auto_pad", geometry.auto_pad);
  if (geometry.auto_pad == "NOTSET") attributes.set("pads", geometry.pads);
  return attributes;
}

/// Returns an image shape that is at least as large as the dilated kernel.
Shape image(Random& random, const Geometry& geometry, std::int64_t channels) {
  Shape shape = {geometry.batch, channels};
  for (std::size_t d = 0; d < geometry.rank; ++d) {
    const std::int64_t extent = (geometry.kernel[d] - 1) * geometry.dilations[d] + 1;
    shape.push_back(extent + between(random, 0, geometry.rank == 3 ? 1 : 4));
  }
  return shape;
}

Shape filters(const Geometry& geometry, std::int64_t first, std::int64_t second) {
  Shape shape = {first, second};
  shape.insert(shape.end(), geometry.kernel.begin(), geometry.kernel.end());
  return shape;
}

class SeenGeometries {
 public:
  void count(const Geometry& geometry) {
    hits_[0] += geometry.groups > 1;
    hits_[1] += any_above(geometry.strides, 1) && any_above(geometry.dilations, 1);
    hits_[2] += geometry.auto_pad.starts_with("SAME");
    hits_[3] += geometry.auto_pad == "NOTSET" && any_above(geometry.pads, 0);
    hits_[3 + geometry.rank] += 1;
  }
  void expect_all() const {
    for (const int count : hits_) EXPECT_GT(count, 0);
  }

 private:
  std::array<int, 7> hits_ = {};
};

TEST(ConvolutionGradientTest, ConvOfAnyGeometry) {
  SeenGeometries seen;
  for (std::uint64_t seed = 1; seed <= kConvolutionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Geometry geometry = draw_geometry(random);
    const std::int64_t in = between(random, 1, 2), out = between(random, 1, 2);
    Case test;
    std::vector<ValueId> inputs = {
        test.variable(reals(random, image(random, geometry, in * geometry.groups))),
        test.variable(reals(random, filters(geometry, out * geometry.groups, in)))};
    if (chance(random)) inputs.push_back(test.variable(reals(random, {out * geometry.groups})));
    check_gradients(test, {test.builder.add(Op::kConv, inputs, attributes_of(geometry))}, random);
    seen.count(geometry);
    if (HasFatalFailure()) return;
  }
  seen.expect_all();
}

TEST(ConvolutionGradientTest, ConvTransposeOfAnyGeometry) {
  SeenGeometries seen;
  int padded = 0, given = 0;
  for (std::uint64_t seed = 1; seed <= kConvolutionCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Geometry geometry = draw_geometry(random);
    for (std::size_t i = 0; i < geometry.pads.size(); ++i) {
      const std::int64_t kernel = geometry.kernel[i % geometry.rank];
      geometry.pads[i] = std::min(geometry.pads[i], kernel / 2);
    }
    const std::int64_t in = between(random, 1, 2), out = between(random, 1, 2);
    Attributes attributes = attributes_of(geometry);
    if (geometry.auto_pad == "NOTSET" && chance(random)) {
      Ints extra = geometry.strides;
      for (std::int64_t& each : extra) each = between(random, 0, each - 1);
      attributes.set("output_padding", extra);
      padded += any_above(extra, 0);
    } else if (geometry.auto_pad == "NOTSET" && chance(random)) {
      attributes.erase("pads");
      attributes.set("output_shape", draw_each(random, geometry.rank, 3, 12));
      ++given;
    }
    Case test;
    Shape x = draw_each(random, geometry.rank, 1, geometry.rank == 3 ? 2 : 4);
    x.insert(x.begin(), {geometry.batch, in * geometry.groups});
    std::vector<ValueId> inputs = {
        test.variable(reals(random, x)),
        test.variable(reals(random, filters(geometry, in * geometry.groups, out)))};
    if (chance(random)) inputs.push_back(test.variable(reals(random, {out * geometry.groups})));
    check_gradients(test, {test.builder.add(Op::kConvTranspose, inputs, attributes)}, random);
    seen.count(geometry);
    if (HasFatalFailure()) return;
  }
  seen.expect_all();
  EXPECT_GT(padded, 0);
  EXPECT_GT(given, 0);
}

}  // namespace
}  // namespace weft::autodiff::testing
