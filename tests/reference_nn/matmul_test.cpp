// MatMul and Gemm compared with triple loops.
#include <gtest/gtest.h>

#include <cmath>

#include "models/reference/cpu/product/product.h"
#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240613;

/// c [m,n] = a [m,k] b [k,n], and sums of the magnitudes of the products.
struct NaiveProduct {
  std::vector<double> sums;
  std::vector<double> magnitudes;
};

NaiveProduct naive_product(const std::vector<double>& a, const std::vector<double>& b,
                           std::size_t m, std::size_t k, std::size_t n) {
  NaiveProduct result;
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      double sum = 0;
      double magnitude = 0;
      for (std::size_t i = 0; i < k; ++i) {
        sum += a[row * k + i] * b[i * n + col];
        magnitude += std::abs(a[row * k + i] * b[i * n + col]);
      }
      result.sums.push_back(sum);
      result.magnitudes.push_back(magnitude);
    }
  }
  return result;
}

std::vector<double> turned(const std::vector<double>& matrix, std::size_t rows, std::size_t cols) {
  std::vector<double> result;
  for (std::size_t col = 0; col < cols; ++col) {
    for (std::size_t row = 0; row < rows; ++row) result.push_back(matrix[row * cols + col]);
  }
  return result;
}

TEST(MatMulTest, StaysWithinTheErrorBoundOfASum) {
  Generator generator(kSeed);
  for (const auto& [m, k, n] : std::vector<std::tuple<int, int, int>>{
           {1, 1, 1}, {1, 300, 17}, {17, 300, 1}, {33, 65, 129}, {7, 1, 9}, {128, 257, 64}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << k << "x" << n << ", seed " << kSeed);
    const Tensor a = random_reals(generator, {m, k});
    const Tensor b = random_reals(generator, {k, n});
    const std::vector<double> y = values(run(Op::kMatMul, {}, {a, b})[0]);
    const NaiveProduct naive =
        naive_product(values(a), values(b), static_cast<std::size_t>(m),
                      static_cast<std::size_t>(k), static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_LE(std::abs(y[i] - naive.sums[i]), (k + 1) * kUnit * naive.magnitudes[i]);
    }
  }
}

// Results are products; a counts in ones, b in tens.
TEST(MatMulTest, BroadcastsTheBatch) {
  const Tensor a = Tensor::of<float>({2, 1, 1, 1}, {1, 2});
  const Tensor b = Tensor::of<float>({3, 1, 2}, {10, 20, 30, 40, 50, 60});
  const Tensor y = run(Op::kMatMul, {}, {a, b})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 3, 1, 2}));
  EXPECT_EQ(values(y), (std::vector<double>{10, 20, 30, 40, 50, 60, 20, 40, 60, 80, 100, 120}));
  const Tensor swapped = run(Op::kMatMul, {}, {b.reshaped({3, 2, 1}), a})[0];
  EXPECT_EQ(swapped.shape(), (Shape{2, 3, 2, 1}));
  EXPECT_EQ(values(swapped), values(y));
}

TEST(MatMulTest, KeepsABatchOfOneOnTheRight) {
  const Tensor a = Tensor::of<float>({2, 1, 1}, {1, 2});
  const Tensor b = Tensor::of<float>({1, 1, 2}, {10, 20});
  EXPECT_EQ(values(run(Op::kMatMul, {}, {a, b})[0]), (std::vector<double>{10, 20, 20, 40}));
  const Tensor one = Tensor::of<float>({1, 1}, {3});
  EXPECT_EQ(values(run(Op::kMatMul, {}, {one, b})[0]), (std::vector<double>{30, 60}));
}

TEST(MatMulTest, TakesVectorsAsRowAndColumn) {
  const Tensor v = Tensor::vector<float>({1, 10});
  const Tensor w = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(run(Op::kMatMul, {}, {v, w})[0]), (std::vector<double>{41, 52, 63}));
  EXPECT_EQ(values(run(Op::kMatMul, {}, {w.reshaped({3, 2}), v})[0]),
            (std::vector<double>{21, 43, 65}));
  const Tensor dot = run(Op::kMatMul, {}, {v, v})[0];
  EXPECT_EQ(dot.shape(), Shape{});
  EXPECT_EQ(values(dot), std::vector<double>{101});
}

TEST(MatMulTest, AddsBiasThenResidualThenActivates) {
  const Tensor a = Tensor::of<float>({2, 1}, {1, 2});
  const Tensor b = Tensor::of<float>({1, 2}, {1, -1});
  const Tensor bias = Tensor::vector<float>({0.5F, 0.25F});
  const Tensor residual = Tensor::of<float>({2, 2}, {-3, 1, 1, 1});
  const Attributes leaky{{"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.5F}};
  EXPECT_EQ(values(run(Op::kMatMul, leaky, {a, b, bias, residual})[0]),
            (std::vector<double>{-0.75, 0.25, 3.5, -0.375}));
}

TEST(MatMulTest, OfNoElementsIsZeros) {
  const Tensor a(DataType::kFloat32, {2, 0});
  const Tensor b(DataType::kFloat32, {0, 3});
  EXPECT_EQ(values(run(Op::kMatMul, {}, {a, b})[0]), std::vector<double>(6, 0.0));
  EXPECT_EQ(run(Op::kMatMul, {}, {b, Tensor(DataType::kFloat32, {3, 2})})[0].size(), 0);
}

/// Computes a b with every operand moved in memory by a multiple of `shift` elements.
template <class T>
std::vector<T> product_at(const std::vector<T>& a, const std::vector<T>& b, GemmSize shape,
                          std::size_t shift) {
  std::vector<T> left(shift, T{9});
  left.insert(left.end(), a.begin(), a.end());
  std::vector<T> right(2 * shift, T{9});
  right.insert(right.end(), b.begin(), b.end());
  std::vector<T> sums(3 * shift + static_cast<std::size_t>(shape.m * shape.n));
  add_product(left.data() + shift, right.data() + 2 * shift, sums.data() + 3 * shift, shape);
  return {sums.begin() + static_cast<std::ptrdiff_t>(3 * shift), sums.end()};
}

template <class T>
void expect_same_bits_everywhere(Generator& generator, GemmSize shape) {
  const auto as = random_reals<T>(generator, {shape.m, shape.k});
  const auto bs = random_reals<T>(generator, {shape.k, shape.n});
  const std::vector<T> a(as.template data<T>().begin(), as.template data<T>().end());
  const std::vector<T> b(bs.template data<T>().begin(), bs.template data<T>().end());
  const std::vector<T> expected = product_at(a, b, shape, 0);
  for (std::size_t shift = 1; shift < 9; ++shift) {
    ASSERT_EQ(product_at(a, b, shape, shift), expected)
        << shape.m << "x" << shape.k << "x" << shape.n << " moved by " << shift;
  }
}

TEST(ProductTest, GivesTheSameBitsWhereverTheOperandsLie) {
  Generator generator(kSeed + 2);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t most = i % 3 == 0 ? 70 : 8;  // Eigen computes small products differently
    GemmSize shape{between(generator, 1, most), between(generator, 1, most),
                   between(generator, 1, most)};
    if (i % 5 == 1) shape.m = 1;
    if (i % 5 <= 2 && i % 5 > 0) shape.n = i % 2 == 0 ? 1 : shape.n;
    ASSERT_NO_FATAL_FAILURE(expect_same_bits_everywhere<float>(generator, shape));
    ASSERT_NO_FATAL_FAILURE(expect_same_bits_everywhere<double>(generator, shape));
  }
}

TEST(GemmTest, TransposesScalesAndAddsC) {
  Generator generator(kSeed + 1);
  // Few rows and many rows are transposed by different code.
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{{2, 5}, {19, 3}, {1, 40}}) {
    const int k = 21;
    for (int flags = 0; flags < 4; ++flags) {
      const bool trans_a = (flags & 1) != 0;
      const bool trans_b = (flags & 2) != 0;
      SCOPED_TRACE(testing::Message() << m << "x" << n << " flags " << flags);
      const Tensor a =
          random_integers<float>(generator, trans_a ? Shape{k, m} : Shape{m, k}, -8, 8);
      const Tensor b =
          random_integers<float>(generator, trans_b ? Shape{n, k} : Shape{k, n}, -8, 8);
      const Tensor c = random_integers<float>(generator, {m, n}, -8, 8);
      const Attributes attributes{{"transA", std::int64_t{trans_a}},
                                  {"transB", std::int64_t{trans_b}},
                                  {"alpha", 0.5F},
                                  {"beta", 2.0F}};
      const auto rows = static_cast<std::size_t>(m);
      const auto cols = static_cast<std::size_t>(n);
      std::vector<double> expected =
          naive_product(trans_a ? turned(values(a), k, rows) : values(a),
                        trans_b ? turned(values(b), cols, k) : values(b), rows, k, cols)
              .sums;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = 0.5 * expected[i] + 2 * values(c)[i];
      }
      EXPECT_EQ(values(run(Op::kGemm, attributes, {a, b, c})[0]), expected);
    }
  }
}

TEST(GemmTest, BroadcastsC) {
  const Tensor a = Tensor::of<float>({2, 1}, {1, 2});
  const Tensor b = Tensor::of<float>({1, 2}, {10, 20});
  const auto with = [&](const Tensor& c) { return values(run(Op::kGemm, {}, {a, b, c})[0]); };
  EXPECT_EQ(with(Tensor::scalar(1.0F)), (std::vector<double>{11, 21, 21, 41}));
  EXPECT_EQ(with(Tensor::vector<float>({1, 2})), (std::vector<double>{11, 22, 21, 42}));
  EXPECT_EQ(with(Tensor::of<float>({2, 1}, {1, 2})), (std::vector<double>{11, 21, 22, 42}));
  EXPECT_EQ(with(Tensor::of<float>({1, 2}, {1, 2})), (std::vector<double>{11, 22, 21, 42}));
  EXPECT_EQ(values(run(Op::kGemm, {}, {a, b})[0]), (std::vector<double>{10, 20, 20, 40}));
}

TEST(GemmTest, AddsTheResidualThenActivates) {
  const Tensor a = Tensor::of<float>({1, 1}, {2});
  const Tensor b = Tensor::of<float>({1, 2}, {10, 20});
  const Tensor residual = Tensor::of<float>({1, 2}, {-30, 1});
  const Attributes attributes{{"activation", std::string("Relu")}};
  EXPECT_EQ(values(run(Op::kGemm, attributes, {a, b, Tensor::scalar(1.0F), residual})[0]),
            (std::vector<double>{0, 42}));
}

}  // namespace
}  // namespace weft::reference
