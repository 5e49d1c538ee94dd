#include "models/reference/cpu/product/matmul.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "models/reference/cpu/product/gemm.h"
#include "pe/arithmetic.h"

namespace weft::reference {
namespace {

// Block sizes: the three blocks of one product stay in the second-level cache, and k <= 1024 keeps
// float32 sums of int8 products exact.
constexpr std::uint64_t kBlockM = 256;
constexpr std::uint64_t kBlockN = 512;
constexpr std::uint64_t kBlockK = 1024;
static_assert(kBlockK * 128 * 128 <= (1U << 24U));

struct MatrixBlock {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
};

std::ptrdiff_t index(std::uint64_t value) {
  return static_cast<std::ptrdiff_t>(value);
}

void check_problem(const MatmulProblem& problem, ResultRows rows, bool integers) {
  const Matrix& a = problem.a;
  const Matrix& b = problem.b;
  if (a.type() != b.type() || (a.type() == ElementType::kInt8) != integers ||
      !is_array_type(a.type())) {
    throw InputError("reference: A and B must both have the array type that the function takes");
  }
  if (a.cols() != b.rows()) throw InputError("reference: A's columns and B's rows differ");
  if (rows.first > a.rows() || rows.count > a.rows() - rows.first) {
    throw InputError("reference: rows outside A");
  }
  const Matrix* bias = problem.bias;
  if (bias != nullptr && (bias->rows() != 1 || bias->cols() != b.cols() ||
                          bias->type() != accumulator_type(a.type()))) {
    throw InputError("reference: the bias must be [1,N] of the accumulators' type");
  }
}

/// Copies a block of `matrix` to `out`, dense, widened to T (exact).
template <class Arithmetic, class T>
void widen_block(const Matrix& matrix, MatrixBlock block, std::vector<T>& out) {
  using Element = typename Arithmetic::Element;
  out.resize(block.rows * block.cols);
  for (std::uint64_t row = 0; row < block.rows; ++row) {
    const std::byte* from = matrix.row_from(block.row + row, block.col).data();
    T* to = out.data() + row * block.cols;
    for (std::uint64_t col = 0; col < block.cols; ++col) {
      Element element;
      std::memcpy(&element, from + col * sizeof(Element), sizeof(Element));
      to[col] = static_cast<T>(Arithmetic::widen(element));
    }
  }
}

template <class T>
void widen_block(const Matrix& matrix, MatrixBlock block, std::vector<T>& out) {
  with_arithmetic(matrix.type(), [&]<class Arithmetic>(Arithmetic) {
    widen_block<Arithmetic>(matrix, block, out);
  });
}

void multiply(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c,
              GemmSize shape) {
  static const GemmFloat kernel = best_gemm().multiply_float;
  kernel(a.data(), b.data(), c.data(), shape);
}
void multiply(const std::vector<double>& a, const std::vector<double>& b, std::vector<double>& c,
              GemmSize shape) {
  static const GemmDouble kernel = best_gemm().multiply_double;
  kernel(a.data(), b.data(), c.data(), shape);
}

/// A*B over one block of the result. Calls take(a_block, b_block, sums) after each block along K.
/// The next block adds to what `take` leaves in `sums`.
template <class T, class Take>
std::vector<T> accumulate_products(const MatmulProblem& problem, MatrixBlock out, Take take) {
  std::vector<T> a;
  std::vector<T> b;
  std::vector<T> sums(out.rows * out.cols);
  const std::uint64_t depth = problem.a.cols();
  for (std::uint64_t k = 0; k < depth; k += kBlockK) {
    const std::uint64_t size = std::min(kBlockK, depth - k);
    widen_block(problem.a, {out.row, k, out.rows, size}, a);
    widen_block(problem.b, {k, out.col, size, out.cols}, b);
    multiply(a, b, sums, {index(out.rows), index(size), index(out.cols)});
    take(a, b, sums);
  }
  return sums;
}

/// max(x, 0) and min(max(x, 0), 6); a NaN stays a NaN.
template <class T>
T activate(Activation activation, T value) {
  if (activation == Activation::kNone) return value;
  if (value <= T{0}) return T{0};
  return activation == Activation::kRelu6 && value > T{6} ? T{6} : value;
}

/// The difference of (A - za)*(B - zb) and A*B for int8: -za * colsum(B) - zb * rowsum(A) +
/// K*za*zb. The sums come from the widened blocks.
class ZeroPointTerms {
 public:
  ZeroPointTerms(const MatmulProblem& problem, MatrixBlock out)
      : a_zero_(problem.a_zero_point),
        b_zero_(problem.b_zero_point),
        row_sums_(out.rows),
        col_sums_(out.cols) {}

  void add(const std::vector<float>& a, const std::vector<float>& b) {
    const std::size_t depth = a.size() / row_sums_.size();
    for (std::size_t row = 0; b_zero_ != 0 && row < row_sums_.size(); ++row) {
      for (std::size_t k = 0; k < depth; ++k) row_sums_[row] += integer(a[row * depth + k]);
    }
    const std::size_t cols = col_sums_.size();
    for (std::size_t k = 0; a_zero_ != 0 && k < depth; ++k) {
      for (std::size_t col = 0; col < cols; ++col) col_sums_[col] += integer(b[k * cols + col]);
    }
    depth_ += static_cast<std::int64_t>(depth);
  }

  std::uint32_t at(std::uint64_t row, std::uint64_t col) const {
    return product(-a_zero_, col_sums_[col]) + product(-b_zero_, row_sums_[row]) +
           product(a_zero_ * b_zero_, depth_);
  }

 private:
  static std::int64_t integer(float value) { return static_cast<std::int64_t>(value); }
  static std::uint32_t product(std::int64_t x, std::int64_t y) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) *
                                      static_cast<std::uint64_t>(y));
  }

  std::int64_t a_zero_;
  std::int64_t b_zero_;
  std::int64_t depth_ = 0;
  std::vector<std::int64_t> row_sums_;
  std::vector<std::int64_t> col_sums_;
};

/// One block of an int8 product, modulo 2^32.
class Int32Block {
 public:
  using Value = std::int32_t;

  static void compute(const MatmulProblem& problem, MatrixBlock out, std::uint64_t first_row,
                      std::vector<Value>& result) {
    std::vector<std::uint32_t> total(out.rows * out.cols);
    ZeroPointTerms zero_points(problem, out);
    accumulate_products<float>(problem, out, [&](const auto& a, const auto& b, auto& sums) {
      zero_points.add(a, b);
      move_sums(sums, total);
    });
    for (std::uint64_t i = 0; i < total.size(); ++i) {
      const std::uint64_t row = i / out.cols;
      const std::uint64_t col = i % out.cols;
      const std::uint32_t sum = total[i] + zero_points.at(row, col) + bias(problem, out.col + col);
      result[(out.row - first_row + row) * problem.b.cols() + out.col + col] =
          activate(problem.activation, static_cast<Value>(sum));
    }
  }

 private:
  static void move_sums(std::vector<float>& sums, std::vector<std::uint32_t>& total) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      total[i] += static_cast<std::uint32_t>(static_cast<std::int32_t>(sums[i]));
      sums[i] = 0;
    }
  }
  static std::uint32_t bias(const MatmulProblem& problem, std::uint64_t col) {
    return problem.bias == nullptr ? 0U : problem.bias->at<std::uint32_t>(0, col);
  }
};

/// One block of a floating-point product in T.
template <class T>
class FloatBlock {
 public:
  using Value = T;

  static void compute(const MatmulProblem& problem, MatrixBlock out, std::uint64_t first_row,
                      std::vector<Value>& result) {
    const std::vector<T> total =
        accumulate_products<T>(problem, out, [](const auto&, const auto&, const auto&) {});
    for (std::uint64_t i = 0; i < total.size(); ++i) {
      const std::uint64_t col = out.col + i % out.cols;
      const T bias =
          problem.bias == nullptr ? T{0} : static_cast<T>(problem.bias->at<float>(0, col));
      result[(out.row - first_row + i / out.cols) * problem.b.cols() + col] =
          activate(problem.activation, problem.bias == nullptr ? total[i] : total[i] + bias);
    }
  }
};

std::vector<MatrixBlock> cut(ResultRows rows, std::uint64_t cols) {
  std::vector<MatrixBlock> blocks;
  for (std::uint64_t row = 0; row < rows.count; row += kBlockM) {
    for (std::uint64_t col = 0; col < cols; col += kBlockN) {
      blocks.push_back({rows.first + row, col, std::min(kBlockM, rows.count - row),
                        std::min(kBlockN, cols - col)});
    }
  }
  return blocks;
}

/// The blocks of the result are independent: each thread takes the next one.
template <class Kind>
std::vector<typename Kind::Value> compute(const MatmulProblem& problem, ResultRows rows,
                                          unsigned threads) {
  std::vector<typename Kind::Value> result(rows.count * problem.b.cols());
  const std::vector<MatrixBlock> blocks = cut(rows, problem.b.cols());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < blocks.size(); i = next++) {
      Kind::compute(problem, blocks[i], rows.first, result);
    }
  };
  const std::size_t helpers = std::min<std::size_t>(threads, blocks.size());
  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < helpers; ++i) pool.emplace_back(work);
  work();
  pool.clear();
  return result;
}

}  // namespace

std::vector<std::int32_t> matmul_int32(const MatmulProblem& problem, ResultRows rows,
                                       unsigned threads) {
  check_problem(problem, rows, true);
  return compute<Int32Block>(problem, rows, threads);
}

std::vector<double> matmul_float64(const MatmulProblem& problem, ResultRows rows,
                                   unsigned threads) {
  check_problem(problem, rows, false);
  return compute<FloatBlock<double>>(problem, rows, threads);
}

std::vector<float> matmul_float32(const MatmulProblem& problem, ResultRows rows, unsigned threads) {
  check_problem(problem, rows, false);
  return compute<FloatBlock<float>>(problem, rows, threads);
}

}  // namespace weft::reference
