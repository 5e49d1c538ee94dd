#include "models/measurements/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "base/printable.h"

namespace weft::measurements {
namespace {

constexpr std::uint64_t kMostSize = std::uint64_t{1} << 40U;
constexpr double kMostMacs = 0x1p62;

/// What the libraries put into the names of kernels that multiply, in lower case.
constexpr std::array<std::string_view, 14> kProductWords = {
    "gemm",     "gemv",  "conv",   "cutlass", "xmma",      "wgrad",      "dgrad",
    "winograd", "fprop", "matmul", "nvjet",   "triton_mm", "triton_bmm", "triton_tem"};
/// Parts of such operations that do not multiply. Inductor names pointwise kernels and reductions
/// (poi, red, per) after the operators around them too.
constexpr std::array<std::string_view, 9> kOtherWords = {
    "triton_poi", "triton_red", "triton_per", "splitkreduce", "elementwise",
    "transpose",  "nchwtonhwc", "nhwctonchw", "reduce_"};

}  // namespace

std::string_view title_of(FileFormat format) {
  switch (format) {
    case FileFormat::kTorchTrace:
      return "a trace of PyTorch's profiler";
    case FileFormat::kNcuCsv:
      return "a CSV of ncu";
    case FileFormat::kNsysTrace:
      return "a trace of nsys stats";
    case FileFormat::kNsysSummary:
      return "a summary of nsys stats";
    case FileFormat::kNsysSqlite:
      return "an SQLite export of nsys";
    case FileFormat::kProductsCsv:
      return "a CSV of products";
    case FileFormat::kCompareCsv:
      return "a CSV of weft compare";
    case FileFormat::kCompareJson:
      return "a report of weft compare";
  }
  throw std::logic_error("a format of files without a title");
}

double median_of(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  if (seconds.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(seconds.begin(), middle)) / 2;
}

void summarize(Measurement& measurement) {
  std::ranges::stable_sort(measurement.occurrences, {}, &Occurrence::start_ns);
  std::vector<double> seconds;
  seconds.reserve(measurement.occurrences.size());
  for (const Occurrence& occurrence : measurement.occurrences) {
    seconds.push_back(occurrence.seconds);
    measurement.total += occurrence.seconds;
  }
  measurement.count = seconds.size();
  if (!seconds.empty()) measurement.median = median_of(std::move(seconds));
}

bool names_product(std::string_view kernel) {
  std::string lower(kernel);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto has = [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  };
  return std::ranges::any_of(kProductWords, has) && std::ranges::none_of(kOtherWords, has);
}

std::string shape_text(const devices::GemmShape& shape) {
  const std::string one = fmt::format("{}x{}x{}", shape.m, shape.k, shape.n);
  return shape.count == 1 ? one : fmt::format("{}*{}", shape.count, one);
}

std::optional<devices::GemmShape> checked_shape(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                                std::uint64_t count) {
  double macs = 1;
  for (const std::uint64_t size : {m, k, n, count}) {
    if (size == 0 || size > kMostSize) return std::nullopt;
    macs *= static_cast<double>(size);
  }
  if (macs > kMostMacs) return std::nullopt;
  return devices::GemmShape{m, k, n, count};
}

double checked_seconds(double seconds, std::string_view what, double least) {
  if (seconds >= least && seconds <= kMostSeconds) return seconds;
  throw InputError(
      fmt::format("{} lasts {:.6g} s, but a run lasts {:g} to {:.0f} s; is the file damaged?", what,
                  seconds, least, kMostSeconds));
}

void check_product_time(const Measurement& product) {
  if (product.median >= kLeastSeconds) return;
  throw InputError(fmt::format(
      "the product {} lasts {:.3g} s, less than {:g} s, so nothing can be said of its speed",
      printable(product.name), product.median, kLeastSeconds));
}

}  // namespace weft::measurements
