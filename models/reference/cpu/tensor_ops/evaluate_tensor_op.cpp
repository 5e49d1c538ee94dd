#include "models/reference/cpu/tensor_ops/evaluate_tensor_op.h"

#include <fmt/format.h>

#include "base/error.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference {

bool is_tensor_op(graph::Op op) {
  return tensor_ops::find_kernel(op) != nullptr;
}

std::vector<graph::Tensor> evaluate_tensor_op(const graph::NodeCall& call) {
  const tensor_ops::Kernel kernel = tensor_ops::find_kernel(call.op);
  if (kernel == nullptr) {
    throw InputError(fmt::format("{} is not a tensor operator", to_string(call.op)));
  }
  return kernel(call);
}

}  // namespace weft::reference
