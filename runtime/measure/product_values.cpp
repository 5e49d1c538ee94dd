#include "runtime/measure/product_values.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "models/reference/cpu/product/gemm.h"
#include "pe/float_formats.h"

namespace weft::runtime {
namespace {

/// The largest magnitude that int8 can have with both signs.
constexpr float kInt8Scale = 127;
/// The value of 1 in a product of two such operands.
constexpr double kInt8Unit = 1 / (double{kInt8Scale} * double{kInt8Scale});

std::int8_t quantized(float value) {
  return static_cast<std::int8_t>(std::nearbyint(value * kInt8Scale));
}

template <class T, class Convert>
Matrix converted(std::span<const float> from, Matrix to, Convert convert) {
  const std::uint64_t cols = to.cols();
  for (std::uint64_t i = 0; i < from.size(); ++i) {
    to.set<T>(i / cols, i % cols, convert(from[i]));
  }
  return to;
}

/// The larger error, where NaN is larger than any number.
double larger(double a, double b) {
  return std::isnan(b) || b > a ? b : a;
}

}  // namespace

void in_parallel(std::uint64_t count,
                 const std::function<void(std::uint64_t first, std::uint64_t count)>& part) {
  const std::uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t each = (count + threads - 1) / threads;
  std::vector<std::thread> others;
  for (std::uint64_t first = each; first < count; first += each) {
    others.emplace_back(part, first, std::min(each, count - first));
  }
  part(0, std::min(each, count));
  for (std::thread& other : others) other.join();
}

ProductValues::ProductValues(const devices::GemmShape& shape, std::uint64_t seed, bool compared)
    : shape_(shape),
      compared_(compared),
      a_(random_matrix(ElementType::kFloat32, shape.m, shape.k, seed, RandomStream::kA)),
      b_(random_matrix(ElementType::kFloat32, shape.k, shape.n, seed, RandomStream::kB)) {}

std::span<const float> ProductValues::floats(const Matrix& matrix) {
  const std::span<const std::byte> bytes = matrix.bytes();
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

Matrix ProductValues::operand(RandomStream which, ElementType type) const {
  const Matrix& drawn = which == RandomStream::kA ? a_ : b_;
  Matrix to(type, drawn.rows(), drawn.cols());
  switch (type) {
    case ElementType::kInt8:
      return converted<std::int8_t>(floats(drawn), std::move(to), quantized);
    case ElementType::kBf16:
      return converted<Bf16>(floats(drawn), std::move(to), [](float x) { return to_bf16(x); });
    case ElementType::kFp16:
      return converted<Fp16>(floats(drawn), std::move(to), [](float x) { return to_fp16(x); });
    default:
      return drawn;
  }
}

const std::vector<double>& ProductValues::exact() {
  if (exact_) return *exact_;
  const std::vector<double> a(this->a().begin(), this->a().end());
  const std::vector<double> b(this->b().begin(), this->b().end());
  std::vector<double> product(shape_.m * shape_.n);
  const auto multiply = reference::best_gemm().multiply_double;
  in_parallel(shape_.m, [&](std::uint64_t first, std::uint64_t count) {
    multiply(a.data() + first * shape_.k, b.data(), product.data() + first * shape_.n,
             {static_cast<std::ptrdiff_t>(count), static_cast<std::ptrdiff_t>(shape_.k),
              static_cast<std::ptrdiff_t>(shape_.n)});
  });
  return exact_.emplace(std::move(product));
}

template <class Result>
std::optional<double> ProductValues::largest_difference(Result result) {
  if (!compared_) return std::nullopt;
  const std::vector<double>& expected = exact();
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = larger(largest, std::abs(result(i) - expected[i]));
  }
  return largest;
}

std::optional<double> ProductValues::largest_error(std::span<const float> result) {
  return largest_difference([result](std::size_t i) { return double{result[i]}; });
}

std::optional<double> ProductValues::largest_error(const Matrix& result) {
  if (result.type() == ElementType::kFloat32) return largest_error(floats(result));
  const std::uint64_t cols = result.cols();
  return largest_difference(
      [&](std::size_t i) { return result.at<std::int32_t>(i / cols, i % cols) * kInt8Unit; });
}

std::optional<double> ProductValues::largest_error(std::span<const double> result, bool int8) {
  const double unit = int8 ? kInt8Unit : 1;
  return largest_difference([=](std::size_t i) { return result[i] * unit; });
}

bool ProductValues::affordable(const devices::GemmShape& shape) {
  constexpr double kMostFlop = 0x1p38;  // 4096^3 twice
  return devices::useful_flop(shape) <= kMostFlop;
}

double ProductValues::bytes(const devices::GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto k = static_cast<double>(shape.k);
  const auto n = static_cast<double>(shape.n);
  // Operands as drawn, in float64 and in one device's format; the float64 product and a device's
  // result.
  return (m * k + k * n) * (4 + 8 + 4) + m * n * (8 + 4);
}

}  // namespace weft::runtime
