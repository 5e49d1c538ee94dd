#include "runtime/workload/run_values.h"

#include "models/random.h"

namespace weft::runtime {

RunValues::RunValues(const Program& program, const RunOptions& options, const InputHeaders& inputs,
                     bool random_bias)
    : memory_(program) {
  if (has_several_of_a_role(program)) {
    draw_all(program, options);
    return;
  }
  operands_ = load_operands(program, options, inputs, random_bias);
  bind(program, TensorRole::kActivation, operands_.a);
  bind_weights(memory_, program, operands_.b);
  if (operands_.machine_bias) bind(program, TensorRole::kBias, *operands_.machine_bias);
  if (const TensorDecl* tensor = find_tensor(program, TensorRole::kResult)) {
    result_ = Matrix(tensor->type, tensor->rows, tensor->cols);
    memory_.bind_result(tensor->name, result_);
  }
}

/// Each input has its own random stream, after those of a product's operands.
void RunValues::draw_all(const Program& program, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(kDefaultSeed);
  auto stream = static_cast<std::uint64_t>(RandomStream::kBias);
  for (const TensorDecl& tensor : program.tensors) {
    if (is_output(tensor.role)) {
      others_.emplace_back(tensor.type, tensor.rows, tensor.cols);
      memory_.bind_result(tensor.name, others_.back());
    } else {
      others_.push_back(random_matrix(tensor.type, tensor.rows, tensor.cols, seed,
                                      static_cast<RandomStream>(++stream)));
      memory_.bind(tensor.name, others_.back());
    }
  }
}

void RunValues::bind(const Program& program, TensorRole role, const Matrix& matrix) {
  if (const TensorDecl* tensor = find_tensor(program, role)) memory_.bind(tensor->name, matrix);
}

}  // namespace weft::runtime
