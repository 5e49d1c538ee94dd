#include "models/reference/cuda/weft_gpu/measure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "models/reference/cuda/device/cuda_device.h"
#include "models/reference/cuda/device/loop_device.h"

namespace weft::cuda {
namespace {

constexpr std::int64_t kLargestSize = 65536;
/// Loops multiply about 10^8 numbers a second.
constexpr std::int64_t kMostLoopMacs = std::int64_t{1} << 27U;
constexpr int kLoopRuns = 3;

MatmulShape parse_shape(std::string_view text) {
  std::array<std::int64_t, 3> sizes = {};
  std::string_view rest = text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t length = i + 1 < sizes.size() ? rest.find('x') : rest.size();
    const std::string_view digits = rest.substr(0, length);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, sizes[i]);
    const bool fits = error == std::errc() && stop == end && sizes[i] >= 1 &&
                      sizes[i] <= kLargestSize && length != std::string_view::npos;
    if (!fits) {
      throw InputError(
          "--measure: write MxKxN with sizes from 1 to 65536, and commas between them");
    }
    rest.remove_prefix(std::min(rest.size(), length + 1));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

/// The median of a few runs, with the copies that a LoopDevice makes.
double seconds_in_loops(MatmulType type, const MatmulShape& shape) {
  if (shape.m * shape.k > kMostLoopMacs / shape.n) {
    throw InputError("--loops: the product is too large for loops; choose smaller sizes");
  }
  LoopDevice device;
  const std::vector<float> a(static_cast<std::size_t>(shape.m * shape.k), 1);
  const std::vector<float> b(static_cast<std::size_t>(shape.k * shape.n), 1);
  std::array<double, kLoopRuns> seconds = {};
  for (double& each : seconds) {
    const auto begin = std::chrono::steady_clock::now();
    matmul(device, type, a, b, shape);
    each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::ranges::sort(seconds);
  return seconds[kLoopRuns / 2];
}

void write_whole(const std::string& file, const std::string& text) {
  const std::string aside = file + ".tmp";
  std::error_code error;
  {
    std::ofstream out(aside, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) {
      std::filesystem::remove(aside, error);
      throw InputError("--csv: cannot write " + file);
    }
  }
  std::filesystem::rename(aside, file, error);
  if (!error) return;
  std::filesystem::remove(aside, error);
  throw InputError("--csv: cannot write " + file);
}

}  // namespace

std::vector<MatmulShape> parse_shapes(const std::string& text) {
  std::vector<MatmulShape> shapes;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    shapes.push_back(parse_shape(rest.substr(0, comma)));
    if (comma == rest.size()) return shapes;
    rest.remove_prefix(comma + 1);
  }
}

void measure_products(const MeasureRequest& request) {
  std::ostringstream rows;
  rows << std::setprecision(17);
  std::string device = "loops on this processor";
  for (const MatmulShape& shape : request.shapes) {
    double seconds = 0;
    if (request.loops) {
      seconds = seconds_in_loops(request.type, shape);
    } else {
      const MatmulMeasurement measured = measure_matmul(request.type, shape.m, shape.k, shape.n);
      seconds = measured.seconds;
      device = measured.device.name;
    }
    rows << shape.m << 'x' << shape.k << 'x' << shape.n << ',' << seconds << '\n';
  }
  std::ostringstream text;
  text << "# device: " << device << "\n# dtype: " << to_string(request.type)
       << "\n# by: weft_gpu\nshape,seconds\n"
       << rows.str();
  write_whole(request.csv, text.str());
}

}  // namespace weft::cuda
