// Compares products with a triple loop.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "models/reference/cuda/checks/bounds.h"
#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/checks/random_values.h"
#include "models/reference/cuda/device/operands.h"

namespace weft::cuda {
namespace {

struct ProductShape {
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
};

/// The exact value of one result element, and the sum of its terms' magnitudes as product_bound()
/// counts them.
struct Exact {
  double value = 0;
  double magnitude = 0;
};

// Element (row, column) of a row-major operand, which may be stored transposed.
double at(const std::vector<float>& matrix, std::int64_t row, std::int64_t column,
          std::int64_t rows, std::int64_t columns, bool transposed) {
  const std::int64_t place = transposed ? column * rows + row : row * columns + column;
  return static_cast<double>(matrix[static_cast<std::size_t>(place)]);
}

struct Case {
  MatmulType type;
  ProductShape shape;
  bool transpose_a = false;
  bool transpose_b = false;

  Exact exact(const std::vector<float>& a, const std::vector<float>& b, std::int64_t row,
              std::int64_t column) const {
    Exact result;
    for (std::int64_t i = 0; i < shape.k; ++i) {
      const double left = at(a, row, i, shape.m, shape.k, transpose_a);
      const double right = at(b, i, column, shape.k, shape.n, transpose_b);
      result.value += left * right;
      result.magnitude += rounded_magnitude(type, left) * rounded_magnitude(type, right);
    }
    return result;
  }

  /// The largest error in units of its bound; at most 1 is correct. For int8, any error gives
  /// infinity.
  double error(const std::vector<double>& c, std::size_t offset, const std::vector<float>& a,
               const std::vector<float>& b) const {
    double worst = 0;
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t column = 0; column < shape.n; ++column) {
        const Exact expected = exact(a, b, row, column);
        const auto place = offset + static_cast<std::size_t>(row * shape.n + column);
        const double difference = std::abs(c[place] - expected.value);
        if (difference == 0) continue;
        const double bound = product_bound(type, shape.k) * expected.magnitude;
        worst = std::max(worst, std::isfinite(difference) ? difference / bound : HUGE_VAL);
      }
    }
    return worst;
  }
};

/// Extents at the limits of kernels' tiles, primes, and long sums.
constexpr ProductShape kShapes[] = {{1, 1, 1},    {1, 7, 1},    {3, 1, 5},
                                    {16, 16, 16}, {17, 31, 13}, {64, 64, 64},
                                    {1, 300, 9},  {65, 129, 2}, {128, 33, 96}};

template <class T>
std::vector<T> downloaded(Device& device, const Memory& memory, std::int64_t count) {
  std::vector<T> elements(static_cast<std::size_t>(count));
  device.download(elements.data(), memory.get(), count * static_cast<std::int64_t>(sizeof(T)));
  return elements;
}

Memory uploaded(Device& device, const std::vector<float>& elements) {
  const auto bytes = static_cast<std::int64_t>(elements.size() * sizeof(float));
  Memory memory = device.allocate(bytes);
  device.upload(memory.get(), elements.data(), bytes);
  return memory;
}

/// The worst error of a product in batches that share A. Both operands may be transposed.
double batched_error(Device& device, const Case& test, Generator& generator) {
  constexpr std::int64_t kBatches = 3;
  const ProductShape& shape = test.shape;
  const std::int64_t b_size = shape.k * shape.n;
  const std::vector<float> a = reals(generator, shape.m * shape.k);
  const std::vector<float> b = reals(generator, kBatches * b_size);
  const Memory left = uploaded(device, a);
  const Memory right = uploaded(device, b);
  const Memory result = device.allocate(kBatches * shape.m * shape.n * 4);
  const auto count = [](const std::vector<float>& x) {
    return static_cast<std::int64_t>(x.size());
  };
  const ProductOperand x = as_operand(device, test.type, elements_of<float>(left), count(a));
  const ProductOperand w = as_operand(device, test.type, elements_of<float>(right), count(b));
  multiply(device, {test.type, shape.m, shape.k, shape.n, test.transpose_a, test.transpose_b, false,
                    x.data, w.data, result.get(), kBatches, 0, b_size, shape.m * shape.n});
  const auto c = downloaded<float>(device, result, kBatches * shape.m * shape.n);
  const std::vector<double> wide(c.begin(), c.end());
  double worst = 0;
  for (std::int64_t batch = 0; batch < kBatches; ++batch) {
    const std::vector<float> own(b.begin() + batch * b_size, b.begin() + (batch + 1) * b_size);
    const auto offset = static_cast<std::size_t>(batch * shape.m * shape.n);
    worst = std::max(worst, test.error(wide, offset, a, own));
  }
  return worst;
}

double plain_error(Device& device, const Case& test, Generator& generator) {
  const bool integer = test.type == MatmulType::kInt8;
  const auto draw = integer ? bytes : reals;
  const std::vector<float> a = draw(generator, test.shape.m * test.shape.k);
  const std::vector<float> b = draw(generator, test.shape.k * test.shape.n);
  const std::vector<double> c =
      matmul(device, test.type, a, b, {test.shape.m, test.shape.k, test.shape.n});
  return test.error(c, 0, a, b);
}

Outcome check_type(Device& device, MatmulType type, Generator& generator) {
  double worst = 0;
  int products = 0;
  for (const ProductShape& shape : kShapes) {
    worst = std::max(worst, plain_error(device, {type, shape}, generator));
    ++products;
    for (int transposes = 0; type != MatmulType::kInt8 && transposes < 4; ++transposes) {
      const Case test{type, shape, transposes % 2 != 0, transposes / 2 != 0};
      worst = std::max(worst, batched_error(device, test, generator));
      ++products;
    }
  }
  std::ostringstream detail;
  detail << products << " products, largest error " << worst << " of its bound";
  return {"product " + std::string(to_string(type)), worst <= 1, detail.str()};
}

}  // namespace

std::vector<Outcome> check_products(Device& device, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<Outcome> outcomes;
  for (const MatmulType type : kMatmulTypes) {
    try {
      outcomes.push_back(check_type(device, type, generator));
    } catch (const InputError& error) {
      outcomes.push_back({"product " + std::string(to_string(type)), false, error.what()});
    }
  }
  return outcomes;
}

}  // namespace weft::cuda
