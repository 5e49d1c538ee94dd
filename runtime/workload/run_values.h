// The values of a program's tensors: the operands of a product and its result, or random inputs of
// a program of a network.
#pragma once

#include <deque>

#include "runtime/workload/operands.h"
#include "sim/memory/matrix.h"
#include "sim/memory/tensor_memory.h"

namespace weft::runtime {

/// The matrices that the program loads from and stores to. Not movable, because the memory refers
/// to them.
class RunValues {
 public:
  /// Reads or draws the operands. Throws as load_operands() does.
  RunValues(const Program& program, const RunOptions& options, const InputHeaders& inputs,
            bool random_bias);
  RunValues(const RunValues&) = delete;
  RunValues& operator=(const RunValues&) = delete;

  TensorMemory& memory() { return memory_; }
  const Operands& operands() const { return operands_; }
  Matrix& result() { return result_; }

 private:
  void bind(const Program& program, TensorRole role, const Matrix& matrix);
  void draw_all(const Program& program, const RunOptions& options);

  Operands operands_;
  std::deque<Matrix> others_;  // of a program with several tensors of a role
  Matrix result_;
  TensorMemory memory_;
};

}  // namespace weft::runtime
