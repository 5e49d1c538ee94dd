// Lesson 15: a product on an A100 and on an array of 128 x 128, by the formulas of the page.
#include <algorithm>
#include <cmath>

#include "tests/examples/figure_text.h"
#include "tests/examples/lesson_figures.h"

namespace weft::test {
namespace {

using Number = std::uint64_t;

// NVIDIA's data sheet: 108 SMs of 2048 FLOP a clock in fp16, 1.41 GHz, 1555 GB/s.
constexpr double kSms = 108;
constexpr double kSmRate = 2048 * 1.41e9;
constexpr double kPeak = kSms * kSmRate;
constexpr double kMemory = 0.922 * 1555e9;
constexpr double kLaunch = 3e-6;
constexpr double kArrayHertz = 700e6;

/// The geometric mean of two published products' shares of the peak, without their launch.
double sustained_share() {
  const auto share = [](double m, double k, double n, double tflops) {
    const double flop = 2 * m * k * n;
    return flop / ((flop / (tflops * 1e12) - kLaunch) * kPeak);
  };
  return std::sqrt(share(1024, 5120, 10240, 271.2) * share(512, 12288, 12288, 252.7));
}

double microseconds(double seconds) {
  return seconds * 1e6;
}

}  // namespace

std::vector<Figure> gpu_and_array() {
  const Number tiles = ceil_div(2304, 256) * ceil_div(1536, 128);
  const Number more = ceil_div(2304, 256) * ceil_div(1537, 128);
  const Number folds = (1024 / 128) * (1536 / 128);
  const Number more_folds = (1024 / 128) * ceil_div(1537, 128);
  const double wave = 2.0 * 256 * 128 * 1024 / kSmRate;
  const double sustained = 2.0 * 2304 * 1024 * 1536 / (kPeak * sustained_share());
  const double bytes = (2304.0 * 1024 + 1024.0 * 1536 + 2304.0 * 1536) * 2;
  const double gpu = kLaunch + std::max({wave, sustained, bytes / kMemory});
  const double array = static_cast<double>(folds * 2304) / kArrayHertz;
  const Number small = ceil_div(64, 64) * (1536 / 64);
  const double cube = std::cbrt(kLaunch * kPeak * sustained_share() / 2);
  return {
      count("tiles", tiles, ", {} tiles of 256x128 in 1 wave"),
      {"one wave, us", decimals(microseconds(wave), 1)},
      {"at the sustained rate, us", decimals(microseconds(sustained), 1)},
      {"memory, us", decimals(microseconds(bytes / kMemory), 1)},
      {"GPU, us", decimals(microseconds(gpu), 1), "fp16  {} us"},
      count("folds", folds, ", {} folds"),
      count("cycles of rows", folds * 2304),
      {"array, us", decimals(microseconds(array), 0)},
      {"their ratio", decimals(array / gpu, 1)},
      count("tiles of 64 rows", small, ", {} tiles of 64x64 in 1 wave"),
      {"a tile of 64 x 64, us", decimals(microseconds(2.0 * 64 * 64 * 1024 / kSmRate), 1)},
      count("cycles of weights", folds * 128),
      count("tiles of 1537", more, ", {} tiles of 256x128 in 2 waves"),
      count("waves", ceil_div(more, 108), " in {} waves"),
      count("folds of 1537", more_folds),
      {"more folds",
       decimals(100.0 * static_cast<double>(more_folds - folds) / static_cast<double>(folds), 1)},
      count("side of the cube", static_cast<Number>(std::llround(cube)))};
}

}  // namespace weft::test
