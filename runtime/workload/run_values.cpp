#include "runtime/workload/run_values.h"

namespace weft::runtime {

RunValues::RunValues(const Program& program, const RunOptions& options, const InputHeaders& inputs,
                     bool random_bias)
    : operands_(load_operands(program, options, inputs, random_bias)), memory_(program) {
  bind(program, TensorRole::kActivation, operands_.a);
  bind(program, TensorRole::kWeights, operands_.b);
  if (operands_.machine_bias) bind(program, TensorRole::kBias, *operands_.machine_bias);
  if (const TensorDecl* tensor = find_tensor(program, TensorRole::kResult)) {
    result_ = Matrix(tensor->type, tensor->rows, tensor->cols);
    memory_.bind_result(tensor->name, result_);
  }
}

void RunValues::bind(const Program& program, TensorRole role, const Matrix& matrix) {
  if (const TensorDecl* tensor = find_tensor(program, role)) memory_.bind(tensor->name, matrix);
}

}  // namespace weft::runtime
