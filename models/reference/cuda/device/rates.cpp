#include "models/reference/cuda/device/rates.h"

#include <algorithm>
#include <array>

namespace weft::cuda {
namespace {

struct Rates {
  std::int32_t major;
  std::int32_t minor;
  std::array<double, kMatmulTypes.size()> operations;  // in the order of MatmulType
};

// Turing: 64 float32 cores, 8 tensor cores of 64 multiply-adds (128 operations) per cycle. GA100:
// 64 cores, 4 tensor cores of 256 multiply-adds. Hopper: 128 cores, 4 of 512.
constexpr std::array kRates = {
    Rates{7, 5, {128, 0, 0, 1024, 2048}},       Rates{8, 0, {128, 1024, 2048, 2048, 4096}},
    Rates{8, 6, {256, 256, 512, 512, 2048}},    Rates{8, 9, {256, 256, 512, 512, 2048}},
    Rates{9, 0, {256, 2048, 4096, 4096, 8192}},
};

}  // namespace

double operations_per_cycle(MatmulType type, std::int32_t major, std::int32_t minor) {
  for (const Rates& rates : kRates) {
    if (rates.major == major && rates.minor == minor) {
      return rates.operations[static_cast<std::size_t>(type)];
    }
  }
  return 0;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::int32_t products_per_sample(double seconds) {
  constexpr double kSampleSeconds = 1e-3;
  if (!(seconds > 0)) return 1000;
  return static_cast<std::int32_t>(std::clamp(kSampleSeconds / seconds, 1.0, 1000.0));
}

}  // namespace weft::cuda
