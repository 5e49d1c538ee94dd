// Operators that leave the elements as they are.
#include <algorithm>

#include "base/error.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {

using graph::NodeCall;
using graph::Tensor;

namespace {

std::vector<Tensor> evaluate_reshape(const NodeCall& call) {
  return {input(call, 0).reshaped(call.outputs[0].shape)};
}

// Inference only: nothing is dropped.
std::vector<Tensor> evaluate_dropout(const NodeCall& call) {
  const Tensor* training = optional_input(call, 2);
  if (training != nullptr) {
    check_type(*training, graph::DataType::kBool);
    if (std::ranges::count(training->data<bool>(), true) != 0) {
      throw InputError("input 2 (training_mode) is true; only inference is supported");
    }
  }
  std::vector<Tensor> results = {input(call, 0)};
  if (call.outputs.size() > 1) {
    results.emplace_back(call.outputs[1]);
    std::ranges::fill(results[1].mutable_data<bool>(), true);
  }
  return results;
}

}  // namespace

Kernels reshape_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kIdentity, evaluate_reshape},
      {Op::kReshape, evaluate_reshape},
      {Op::kFlatten, evaluate_reshape},
      {Op::kSqueeze, evaluate_reshape},
      {Op::kUnsqueeze, evaluate_reshape},
      {Op::kDropout, evaluate_dropout},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
