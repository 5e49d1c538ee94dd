#include "models/reference/cpu/evaluate.h"

#include "models/reference/cpu/nn/evaluate_nn.h"
#include "models/reference/cpu/tensor_ops/evaluate_tensor_op.h"

namespace weft::reference {

std::vector<graph::Tensor> evaluate(const graph::NodeCall& call) {
  return is_nn_op(call.op) ? evaluate_nn(call) : evaluate_tensor_op(call);
}

}  // namespace weft::reference
