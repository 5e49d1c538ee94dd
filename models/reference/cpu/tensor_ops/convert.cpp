#include "models/reference/cpu/tensor_ops/convert.h"

#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {

graph::Tensor convert_tensor(const graph::Tensor& tensor, graph::DataType type) {
  if (tensor.type() == type) return tensor;
  return graph::with_type(tensor.type(), [&]<class From>(From) {
    return graph::with_type(type, [&]<class To>(To) {
      return map_elements<To, From>(type, tensor, [](From from) { return convert<To>(from); });
    });
  });
}

namespace {

std::vector<graph::Tensor> evaluate_cast(const graph::NodeCall& call) {
  return {convert_tensor(input(call, 0), call.outputs[0].type)};
}

}  // namespace

Kernels cast_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kCast, evaluate_cast},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
