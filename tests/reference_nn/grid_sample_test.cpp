// GridSample against its definition, element by element: the weight of each element of the image
// for each point, with the image continued beyond its ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240617;

struct SampleCase {
  std::string mode = "bilinear";
  std::string padding = "zeros";
  bool align_corners = false;

  Attributes attributes() const {
    return {
        {"mode", mode}, {"padding_mode", padding}, {"align_corners", std::int64_t{align_corners}}};
  }
};

double position_of(double grid, std::int64_t extent, const SampleCase& test) {
  const auto size = static_cast<double>(extent);
  return test.align_corners ? (grid + 1) / 2 * (size - 1) : ((grid + 1) * size - 1) / 2;
}

/// Mirrors at one end after the other until the position is inside.
double mirrored(double position, std::int64_t extent, const SampleCase& test) {
  const double low = test.align_corners ? 0 : -0.5;
  const double high = static_cast<double>(extent - 1) - low;
  if (low == high) return 0;
  while (position < low || position > high) {
    position = position < low ? 2 * low - position : 2 * high - position;
  }
  return position;
}

double moved(double position, std::int64_t extent, const SampleCase& test) {
  if (test.padding == "zeros") return position;
  if (test.padding == "reflection") position = mirrored(position, extent, test);
  return std::clamp(position, 0.0, static_cast<double>(extent - 1));
}

double cubic(double d) {
  constexpr double kA = -0.75;
  d = std::abs(d);
  if (d <= 1) return (kA + 2) * d * d * d - (kA + 3) * d * d + 1;
  return d < 2 ? kA * d * d * d - 5 * kA * d * d + 8 * kA * d - 4 * kA : 0;
}

/// How much of element `i` is read at a position.
double share(std::int64_t i, double position, std::int64_t extent, const SampleCase& test) {
  const auto element = static_cast<double>(i);
  if (test.mode == "nearest") {
    return std::nearbyint(moved(position, extent, test)) == element ? 1 : 0;
  }
  if (test.mode == "bilinear") {
    return std::max(0.0, 1 - std::abs(moved(position, extent, test) - element));
  }
  double sum = 0;
  for (double tap = std::floor(position) - 1; tap <= std::floor(position) + 2; ++tap) {
    if (moved(tap, extent, test) == element) sum += cubic(tap - position);
  }
  return sum;
}

std::vector<SampleCase> cases() {
  std::vector<SampleCase> all;
  for (const char* mode : {"bilinear", "nearest", "bicubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool align : {false, true}) all.push_back({mode, padding, align});
    }
  }
  return all;
}

TEST(GridSampleTest, ReadsEachPointByItsDefinition) {
  Generator generator(kSeed);
  for (const SampleCase& test : cases()) {
    for (int i = 0; i < 4; ++i) {
      SCOPED_TRACE(testing::Message() << test.mode << ' ' << test.padding << ' '
                                      << test.align_corners << ", seed " << kSeed);
      const Shape in = {2, 3, between(generator, 1, 5), between(generator, 1, 5)};
      const Shape out = {2, 3, between(generator, 1, 3), between(generator, 1, 4)};
      const Tensor x = random_reals<double>(generator, in);
      Tensor grid = random_reals<double>(generator, {2, out[2], out[3], 2});
      for (double& point : grid.mutable_data<double>()) point *= 3;
      const std::vector<double> y = values(run(Op::kGridSample, test.attributes(), {x, grid})[0]);
      for (const Ints& at : coordinates(out)) {
        const std::size_t point = offset({2, out[2], out[3], 2}, {at[0], at[2], at[3], 0});
        const double column = position_of(values(grid)[point], in[3], test);
        const double row = position_of(values(grid)[point + 1], in[2], test);
        double expected = 0;
        for (const Ints& pixel : coordinates({in[2], in[3]})) {
          expected += share(pixel[0], row, in[2], test) * share(pixel[1], column, in[3], test) *
                      values(x)[offset(in, {at[0], at[1], pixel[0], pixel[1]})];
        }
        ASSERT_NEAR(y[offset(out, at)], expected, 1e-12);
      }
    }
  }
}

TEST(GridSampleTest, AHalfGoesToTheEvenElement) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 4}, {1, 2, 3, 4});
  // With four elements, -0.5, 0 and 0.5 are the positions 0.5, 1.5 and 2.5.
  const Tensor grid = Tensor::of<float>({1, 1, 3, 2}, {-0.5F, 0, 0, 0, 0.5F, 0});
  EXPECT_EQ(values(run(Op::kGridSample, {{"mode", "nearest"}}, {x, grid})[0]),
            (std::vector<double>{1, 3, 3}));
}

// Any bytes may be a grid: no point reads outside of the image.
TEST(GridSampleTest, PointsThatAreNoNumbersOrFarAwayAreDefined) {
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::of<float>({1, 1, 1, 3}, {5, 6, 7});
  const Tensor grid =
      Tensor::of<float>({1, 1, 5, 2}, {nan, 0, infinity, 0, -infinity, 0, 1e30F, 0, -1e30F, 0});
  for (const char* mode : {"bilinear", "nearest", "bicubic"}) {
    SCOPED_TRACE(mode);
    const auto sample = [&](const char* padding) {
      return values(
          run(Op::kGridSample, {{"mode", mode}, {"padding_mode", padding}}, {x, grid})[0]);
    };
    EXPECT_EQ(sample("zeros"), (std::vector<double>{0, 0, 0, 0, 0}));
    EXPECT_EQ(sample("border"), (std::vector<double>{5, 7, 5, 7, 5}));
    for (const double value : sample("reflection")) {
      EXPECT_TRUE(value >= 4 && value <= 8) << value;
    }
  }
}

TEST(GridSampleTest, TakesTheGridInAnotherType) {
  Generator generator(kSeed + 1);
  const Tensor x = random_reals<double>(generator, {1, 2, 3, 3});
  const Tensor narrow = random_reals<float>(generator, {1, 2, 2, 2});
  Tensor wide(DataType::kFloat64, narrow.shape());
  std::ranges::copy(narrow.data<float>(), wide.mutable_data<double>().begin());
  const std::vector<double> a = values(run(Op::kGridSample, {}, {x, narrow})[0]);
  const std::vector<double> b = values(run(Op::kGridSample, {}, {x, wide})[0]);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 64 * kUnit);
}

}  // namespace
}  // namespace weft::reference
