#include "runtime/workload/operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "models/random.h"

namespace weft::runtime {
namespace {

constexpr std::int32_t kUint8ZeroPoint = -128;

std::optional<NpyArray> read_header(const std::optional<std::string>& file, ElementType wanted) {
  if (!file) return std::nullopt;
  return read_npy(*file, NpyContent::kHeader, wanted);
}

void check_shape(const Matrix& matrix, const TensorDecl& tensor, const std::string& file) {
  if (matrix.rows() == tensor.rows && matrix.cols() == tensor.cols) return;
  throw InputError(fmt::format("{}: is {} x {} where the program takes {} x {}", file,
                               matrix.rows(), matrix.cols(), tensor.rows, tensor.cols));
}

[[noreturn]] void fail_without_tensor(const std::string& file, std::string_view role) {
  throw InputError(fmt::format("{}: the program has no {} tensor for it", file, role));
}

/// Returns the matrix for `tensor`, read from the file or drawn.
Matrix load_operand(const TensorDecl* tensor, const std::optional<std::string>& file,
                    std::uint64_t seed, RandomStream stream) {
  if (tensor == nullptr) {
    if (file) fail_without_tensor(*file, stream == RandomStream::kA ? "activation" : "weights");
    return {};
  }
  if (!file) return random_matrix(tensor->type, tensor->rows, tensor->cols, seed, stream);
  Matrix matrix = to_operand(read_npy(*file), tensor->type);
  check_shape(matrix, *tensor, *file);
  return matrix;
}

std::optional<Matrix> load_bias(const TensorDecl* tensor, const RunOptions& options,
                                bool random_bias) {
  if (tensor == nullptr) {
    if (options.bias) fail_without_tensor(*options.bias, "bias");
    return std::nullopt;
  }
  if (options.bias) {
    Matrix bias = to_bias(read_npy(*options.bias), tensor->type);
    check_shape(bias, *tensor, *options.bias);
    return bias;
  }
  if (!random_bias) return std::nullopt;
  return random_matrix(tensor->type, 1, tensor->cols, options.seed.value_or(kDefaultSeed),
                       RandomStream::kBias);
}

/// The bias that the machine adds: the user's bias with A's zero point folded in, or zeros.
std::optional<Matrix> fold_bias(const Operands& operands, const TensorDecl* tensor,
                                const InputHeaders& headers) {
  const Matrix* bias = operands.bias ? &*operands.bias : nullptr;
  if (operands.a_zero_point != 0) {
    if (tensor == nullptr) {
      throw InputError(fmt::format(
          "{}: uint8 needs a bias to correct its zero point; compile with --with-bias, or give |i1",
          headers.a->file));
    }
    return fold_zero_point(operands.b, operands.a_zero_point, bias);
  }
  if (tensor == nullptr) return std::nullopt;
  return bias == nullptr ? Matrix(tensor->type, 1, tensor->cols) : *bias;
}

std::uint32_t row_sum(const Matrix& a, std::uint64_t row, std::int32_t zero_point) {
  std::uint32_t sum = 0;
  for (std::uint64_t k = 0; k < a.cols(); ++k) {
    sum += static_cast<std::uint32_t>(a.at<std::int8_t>(row, k) - zero_point);
  }
  return sum;
}

}  // namespace

InputHeaders read_headers(const RunOptions& options, ElementType dtype) {
  InputHeaders headers{read_header(options.a, dtype), read_header(options.b, dtype),
                       read_header(options.bias, accumulator_type(dtype))};
  for (const auto& array : {headers.a, headers.b}) {
    if (array) matrix_shape(*array);
  }
  if (headers.bias) bias_shape(*headers.bias);
  return headers;
}

bool has_several_of_a_role(const Program& program) {
  for (const TensorDecl& tensor : program.tensors) {
    const auto is_another = [&](const TensorDecl& other) {
      return other.role == tensor.role && !is_weight_rows(program, other);
    };
    if (std::ranges::count_if(program.tensors, is_another) > 1) return true;
  }
  return false;
}

const TensorDecl* find_tensor(const Program& program, TensorRole role) {
  const TensorDecl* found = nullptr;
  for (const TensorDecl& tensor : program.tensors) {
    if (tensor.role != role || is_weight_rows(program, tensor)) continue;
    if (found != nullptr) {
      throw InputError(
          fmt::format("tensors '{}' and '{}' have the same role", found->name, tensor.name));
    }
    found = &tensor;
  }
  return found;
}

void bind_weights(TensorMemory& memory, const Program& program, const Matrix& weights) {
  for (const TensorDecl& tensor : program.tensors) {
    if (tensor.role == TensorRole::kWeights || is_weight_rows(program, tensor)) {
      memory.bind(tensor.name, weights);
    }
  }
}

reference::MatmulProblem Operands::problem(Activation activation) const {
  return {a, b, bias ? &*bias : nullptr, activation, a_zero_point, b_zero_point};
}

Operands load_operands(const Program& program, const RunOptions& options,
                       const InputHeaders& headers, bool random_bias) {
  const TensorDecl* bias = find_tensor(program, TensorRole::kBias);
  const std::uint64_t seed = options.seed.value_or(kDefaultSeed);
  Operands operands;
  operands.a = load_operand(find_tensor(program, TensorRole::kActivation), options.a, seed,
                            RandomStream::kA);
  operands.b =
      load_operand(find_tensor(program, TensorRole::kWeights), options.b, seed, RandomStream::kB);
  operands.bias = load_bias(bias, options, random_bias);
  operands.a_zero_point = headers.a_is_uint8() ? kUint8ZeroPoint : 0;
  operands.b_zero_point = headers.b_is_uint8() ? kUint8ZeroPoint : 0;
  operands.machine_bias = fold_bias(operands, bias, headers);
  return operands;
}

void add_row_sums(const Operands& operands, Matrix& result) {
  const auto zero_point = static_cast<std::uint32_t>(operands.b_zero_point);
  for (std::uint64_t row = 0; row < result.rows(); ++row) {
    const std::uint32_t term = 0U - zero_point * row_sum(operands.a, row, operands.a_zero_point);
    for (std::uint64_t col = 0; col < result.cols(); ++col) {
      result.set(row, col, result.at<std::uint32_t>(row, col) + term);
    }
  }
}

}  // namespace weft::runtime
