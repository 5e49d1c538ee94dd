// Each byte of each host row and tile must come from the element that the layouts of program.h
// name. The oracle evaluates the layouts' formulas element by element.
#include "sim/memory/tensor_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/error.h"

namespace weft {
namespace {

using Bytes = std::vector<std::byte>;

struct Case {
  Program program;
  Matrix a;
  Matrix b;
  Matrix bias;
  Matrix out;
  Matrix spill;
  std::uint64_t activation_base = 0;
  std::uint64_t tile_base = 0;
  std::uint64_t bias_base = 0;
  std::uint64_t result_base = 0;
  std::uint64_t narrow_base = 0;

  std::uint64_t row_bytes() const {
    return std::uint64_t{program.array_rows} * element_bytes(program.dtype);
  }
  std::uint64_t row_rows() const {
    return (program.array_cols * 4 + row_bytes() - 1) / row_bytes();
  }
};

std::uint64_t tiles(std::uint64_t size, std::uint64_t step) {
  return (size + step - 1) / step;
}

void fill(Matrix& matrix, std::mt19937& random) {
  for (std::byte& byte : matrix.bytes()) byte = static_cast<std::byte>(random() % 256);
}

Case make_case(std::uint32_t rows, std::uint32_t cols, ElementType dtype, std::uint64_t m,
               std::uint64_t k, std::uint64_t n, std::mt19937& random) {
  Case c;
  c.program = {rows, cols, dtype, {}, {}, {}};
  const ElementType sum = accumulator_type(dtype);
  c.activation_base = random() % 5;
  c.tile_base = random() % 5;
  c.bias_base = c.activation_base + tiles(k, rows) * m + random() % 3;
  c.result_base = c.bias_base + tiles(n, cols) * c.row_rows() + random() % 3;
  c.narrow_base = c.result_base + tiles(n, cols) * m * c.row_rows() + 1 + random() % 3;
  c.program.tensors = {{"out", TensorRole::kResult, sum, m, n, c.result_base},
                       {"spill", TensorRole::kNarrow, dtype, m, n, c.narrow_base},
                       {"a", TensorRole::kActivation, dtype, m, k, c.activation_base},
                       {"bias", TensorRole::kBias, sum, 1, n, c.bias_base},
                       {"b", TensorRole::kWeights, dtype, k, n, c.tile_base}};
  c.a = Matrix(dtype, m, k);
  c.b = Matrix(dtype, k, n);
  c.bias = Matrix(sum, 1, n);
  c.out = Matrix(sum, m, n);
  c.spill = Matrix(dtype, m, n);
  for (Matrix* matrix : {&c.a, &c.b, &c.bias, &c.out, &c.spill}) fill(*matrix, random);
  return c;
}

TensorMemory memory_of(Case& c) {
  TensorMemory memory(c.program);
  memory.bind("a", c.a);
  memory.bind("b", c.b);
  memory.bind("bias", c.bias);
  memory.bind_result("out", c.out);
  memory.bind_result("spill", c.spill);
  return memory;
}

/// Copies element [row][col] of `matrix` to `at`, or zeros if there is no such element.
void put_element(const Matrix& matrix, std::uint64_t row, std::uint64_t col, std::byte* at) {
  const std::uint64_t size = element_bytes(matrix.type());
  for (std::uint64_t i = 0; i < size; ++i) {
    const bool inside = row < matrix.rows() && col < matrix.cols();
    at[i] = inside ? matrix.bytes()[(row * matrix.cols() + col) * size + i] : std::byte{0};
  }
}

/// Returns `count` elements of `row` from `first_col` on, padded with zeros to `bytes`.
Bytes elements(const Matrix& matrix, std::uint64_t row, std::uint64_t first_col,
               std::uint64_t count, std::uint64_t bytes) {
  const std::uint64_t size = element_bytes(matrix.type());
  Bytes result(std::max(bytes, count * size));
  for (std::uint64_t i = 0; i < count; ++i) {
    put_element(matrix, row, first_col + i, &result[i * size]);
  }
  return result;
}

Bytes read(const TensorMemory& memory, std::uint64_t host_row, std::uint64_t bytes) {
  Bytes out(bytes, std::byte{0xEE});  // padding must be written too
  memory.read_rows(host_row, out);
  return out;
}

/// Stores a matrix in rows of R elements. Calls function(host row, its elements) for each row.
template <class Function>
void for_each_narrow_row(const Case& c, const Matrix& matrix, std::uint64_t base,
                         Function&& function) {
  const std::uint64_t rows = c.program.array_rows;
  for (std::uint64_t block = 0; block < tiles(matrix.cols(), rows); ++block) {
    for (std::uint64_t m = 0; m < matrix.rows(); ++m) {
      function(base + block * matrix.rows() + m,
               elements(matrix, m, block * rows, rows, c.row_bytes()));
    }
  }
}

void check_narrow(const Case& c, const TensorMemory& memory, const Matrix& matrix,
                  std::uint64_t base) {
  for_each_narrow_row(c, matrix, base, [&](std::uint64_t host_row, const Bytes& expected) {
    ASSERT_EQ(read(memory, host_row, c.row_bytes()), expected);
  });
}

/// Writes each row of the narrow tensor, including padding, then finds each element in the matrix.
void check_narrow_writes(Case& c, TensorMemory& memory, std::mt19937& random) {
  Matrix expected(c.spill.type(), c.spill.rows(), c.spill.cols());
  fill(expected, random);
  std::ranges::fill(c.spill.bytes(), std::byte{0xEE});
  const std::uint64_t blocks = tiles(expected.cols(), c.program.array_rows);
  const std::uint64_t last_block = c.narrow_base + (blocks - 1) * expected.rows();
  const std::uint64_t in_last = expected.cols() - (blocks - 1) * c.program.array_rows;
  for_each_narrow_row(c, expected, c.narrow_base, [&](std::uint64_t host_row, Bytes row) {
    const std::uint64_t used = in_last * element_bytes(expected.type());
    if (host_row >= last_block) {
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(used), row.end(), std::byte{0xDD});
    }
    memory.write_rows(host_row, row);
  });
  ASSERT_EQ(c.spill, expected);
  check_narrow(c, memory, expected, c.narrow_base);
}

void check_tiles(const Case& c, const TensorMemory& memory) {
  const std::uint64_t rows = c.program.array_rows;
  const std::uint64_t cols = c.program.array_cols;
  const std::uint64_t k_tiles = tiles(c.b.rows(), rows);
  for (std::uint64_t tile = 0; tile < k_tiles * tiles(c.b.cols(), cols); ++tile) {
    Bytes expected;
    for (std::uint64_t r = 0; r < rows; ++r) {
      const Bytes row = elements(c.b, tile % k_tiles * rows + r, tile / k_tiles * cols, cols, 0);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    Bytes actual(expected.size(), std::byte{0xEE});
    memory.read_tile(c.tile_base + tile, actual);
    ASSERT_EQ(actual, expected);
  }
}

void check_words(const Case& c, const TensorMemory& memory, const Matrix& matrix,
                 std::uint64_t base) {
  const std::uint64_t cols = c.program.array_cols;
  const std::uint64_t bytes = c.row_rows() * c.row_bytes();
  for (std::uint64_t nt = 0; nt < tiles(matrix.cols(), cols); ++nt) {
    for (std::uint64_t m = 0; m < matrix.rows(); ++m) {
      ASSERT_EQ(read(memory, base + (nt * matrix.rows() + m) * c.row_rows(), bytes),
                elements(matrix, m, nt * cols, cols, bytes));
    }
  }
}

/// Writes each row of a result, including padding, then finds each word in the matrix.
void check_writes(Case& c, TensorMemory& memory, std::mt19937& random) {
  Matrix expected(c.out.type(), c.out.rows(), c.out.cols());
  fill(expected, random);
  std::ranges::fill(c.out.bytes(), std::byte{0xEE});
  const std::uint64_t cols = c.program.array_cols;
  const std::uint64_t bytes = c.row_rows() * c.row_bytes();
  for (std::uint64_t nt = 0; nt < tiles(expected.cols(), cols); ++nt) {
    for (std::uint64_t m = 0; m < expected.rows(); ++m) {
      Bytes words = elements(expected, m, nt * cols, cols, bytes);
      const std::uint64_t used = std::min(cols, expected.cols() - nt * cols) * 4;
      std::fill(words.begin() + static_cast<std::ptrdiff_t>(used), words.end(), std::byte{0xDD});
      memory.write_rows(c.result_base + (nt * expected.rows() + m) * c.row_rows(), words);
    }
  }
  ASSERT_EQ(c.out, expected);
  check_words(c, memory, c.out, c.result_base);
}

TEST(TensorMemoryTest, GathersAndScattersEveryElement) {
  constexpr unsigned kSeed = 31;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::map<std::string, int> hits;
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t rows = 1 + static_cast<std::uint32_t>(random() % 9);
    const std::uint32_t cols = 1 + static_cast<std::uint32_t>(random() % 9);
    const auto dtype = static_cast<ElementType>(random() % 3);
    const std::uint64_t m = 1 + random() % 6;
    const std::uint64_t k = 1 + random() % 20;
    const std::uint64_t n = 1 + random() % 20;
    SCOPED_TRACE(testing::Message() << rows << "x" << cols << " " << to_string(dtype) << " m=" << m
                                    << " k=" << k << " n=" << n);
    Case c = make_case(rows, cols, dtype, m, k, n, random);
    TensorMemory memory = memory_of(c);
    check_narrow(c, memory, c.a, c.activation_base);
    check_narrow(c, memory, c.spill, c.narrow_base);
    check_tiles(c, memory);
    check_words(c, memory, c.bias, c.bias_base);
    check_words(c, memory, c.out, c.result_base);
    check_writes(c, memory, random);
    check_narrow_writes(c, memory, random);
    if (HasFatalFailure()) return;
    hits["K padded"] += k % rows != 0 ? 1 : 0;
    hits["K whole"] += k % rows == 0 ? 1 : 0;
    hits["N padded"] += n % cols != 0 ? 1 : 0;
    hits["narrow result padded"] += n % rows != 0 ? 1 : 0;
    hits["several UB rows a result row"] += c.row_rows() > 1 ? 1 : 0;
    hits["one UB row a result row"] += c.row_rows() == 1 ? 1 : 0;
    hits["result row ends inside a UB row"] += cols * 4 % c.row_bytes() != 0 ? 1 : 0;
  }
  for (const auto& [name, count] : hits) EXPECT_GT(count, 20) << name;
}

TEST(TensorMemoryTest, ReadsRowsOfSeveralTensorsAtOnce) {
  Program program{4, 4, ElementType::kInt8, {}, {}, {}};
  program.tensors = {{"a", TensorRole::kActivation, ElementType::kInt8, 1, 4, 0},
                     {"b", TensorRole::kActivation, ElementType::kInt8, 1, 3, 1}};
  Matrix a(ElementType::kInt8, 1, 4);
  Matrix b(ElementType::kInt8, 1, 3);
  std::ranges::fill(a.bytes(), std::byte{1});
  std::ranges::fill(b.bytes(), std::byte{2});
  TensorMemory memory(program);
  memory.bind("a", a);
  memory.bind("b", b);
  const Bytes expected = {std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1},
                          std::byte{2}, std::byte{2}, std::byte{2}, std::byte{0}};
  EXPECT_EQ(read(memory, 0, 8), expected);
}

template <class Function>
std::string input_error(Function&& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class TensorMemoryErrorTest : public testing::Test {
 protected:
  std::mt19937 random_{1};
  Case case_ = make_case(4, 4, ElementType::kInt8, 5, 6, 7, random_);
  TensorMemory memory_{case_.program};
  Bytes row_ = Bytes(4);
};

TEST_F(TensorMemoryErrorTest, NamesExpectedAndActualShape) {
  const Matrix wrong(ElementType::kInt8, 5, 7);
  EXPECT_EQ(input_error([&] { memory_.bind("a", wrong); }),
            "tensor 'a': expected int8 of 5 x 6, but was given int8 of 5 x 7");
  Matrix wrong_type(ElementType::kFloat32, 5, 7);
  EXPECT_EQ(input_error([&] { memory_.bind_result("out", wrong_type); }),
            "tensor 'out': expected int32 of 5 x 7, but was given float32 of 5 x 7");
}

TEST_F(TensorMemoryErrorTest, NamesATensorThatThereIsNot) {
  EXPECT_EQ(input_error([&] { memory_.bind("c", case_.a); }),
            "the program has no input tensor 'c'");
  EXPECT_EQ(input_error([&] { memory_.bind("out", case_.out); }),
            "the program has no input tensor 'out'");
  EXPECT_EQ(input_error([&] { memory_.bind("spill", case_.spill); }),
            "the program has no input tensor 'spill'");
  EXPECT_EQ(input_error([&] { memory_.bind_result("a", case_.a); }),
            "the program has no result tensor 'a'");
}

TEST_F(TensorMemoryErrorTest, NamesATensorWithoutAMatrix) {
  memory_.bind("a", case_.a);
  EXPECT_EQ(input_error([&] { memory_.check_all_bound(); }),
            "tensor 'out': no int32 of 5 x 7 was given");
  EXPECT_NE(input_error([&] { memory_.read_rows(case_.bias_base, row_); }), "");
  Bytes tile(16);
  EXPECT_NE(input_error([&] { memory_.read_tile(case_.tile_base, tile); }), "");
  EXPECT_NE(input_error([&] { memory_.write_rows(case_.result_base, row_); }), "");
}

TEST_F(TensorMemoryErrorTest, NamesAnAddressInNoTensor) {
  TensorMemory memory = memory_of(case_);
  EXPECT_EQ(input_error([&] { memory.check_all_bound(); }), "");
  const std::uint64_t end = case_.result_base + 40;  // 5 rows, 2 blocks, 4 UB rows each
  EXPECT_EQ(input_error([&] { memory.read_rows(end - 1, row_); }), "");
  EXPECT_EQ(input_error([&] { memory.read_rows(end, row_); }),
            "host row " + std::to_string(end) +
                " lies in no tensor; declare a tensor there to give it values");
  Bytes tile(16);
  EXPECT_EQ(input_error([&] { memory.read_tile(case_.tile_base + 3, tile); }), "");
  EXPECT_NE(input_error([&] { memory.read_tile(case_.tile_base + 4, tile); }), "");
}

TEST_F(TensorMemoryErrorTest, WritesOnlyToResults) {
  TensorMemory memory = memory_of(case_);
  const Matrix before = case_.a;
  EXPECT_NE(input_error([&] { memory.write_rows(case_.activation_base, row_); }), "");
  EXPECT_EQ(case_.a, before);
}

TEST_F(TensorMemoryErrorTest, RefusesAProgramWhoseTensorsOverlap) {
  case_.program.tensors[2].base = case_.result_base;
  EXPECT_NE(input_error([&] { TensorMemory memory(case_.program); }), "");
}

// Who binds "a", "b" and "out" need not know how the tiles of b travel.
TEST(TensorMemoryTest, GivesTheWeightsOfAProductToTheirRows) {
  Program program;
  program.array_rows = program.array_cols = 4;
  program.dtype = ElementType::kInt8;
  program.tensors = {
      {"a", TensorRole::kActivation, ElementType::kInt8, 2, 3, 0},
      {"b", TensorRole::kWeights, ElementType::kInt8, 3, 2, 0},
      {"out", TensorRole::kResult, ElementType::kInt32, 2, 2, 2},
      {std::string(kWeightRows), TensorRole::kActivation, ElementType::kInt8, 3, 2, 20}};
  program.computes = MatmulSpec{2, 3, 2};
  const Matrix a(ElementType::kInt8, 2, 3);
  Matrix b(ElementType::kInt8, 3, 2);
  b.set(1, 0, std::int8_t{7});
  Matrix out(ElementType::kInt32, 2, 2);
  TensorMemory memory(program);
  memory.bind("a", a);
  memory.bind("b", b);
  memory.bind_result("out", out);
  EXPECT_NO_THROW(memory.check_all_bound());
  Bytes row(4);
  memory.read_rows(21, row);
  EXPECT_EQ(row[0], std::byte{7});
}

}  // namespace
}  // namespace weft
