#include "models/reference/cpu/evaluate.h"

#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference {
namespace {

const graph::OpArray<Kernel>& kernels() {
  using namespace tensor_ops;
  static const graph::OpArray<Kernel> kKernels("CPU reference", {convolution_kernels(),
                                                                 product_kernels(),
                                                                 integer_convolution_kernels(),
                                                                 integer_product_kernels(),
                                                                 quantization_kernels(),
                                                                 pool_kernels(),
                                                                 normalization_kernels(),
                                                                 recurrent_kernels(),
                                                                 resize_kernels(),
                                                                 unary_kernels(),
                                                                 cast_kernels(),
                                                                 arithmetic_kernels(),
                                                                 logic_kernels(),
                                                                 softmax_kernels(),
                                                                 reduction_kernels(),
                                                                 arg_max_kernels(),
                                                                 reshape_kernels(),
                                                                 generator_kernels(),
                                                                 joining_kernels(),
                                                                 movement_kernels(),
                                                                 pad_kernels(),
                                                                 indexed_gather_kernels(),
                                                                 scatter_kernels(),
                                                                 one_hot_kernels(),
                                                                 line_kernels(),
                                                                 grid_sample_kernels()});
  return kKernels;
}

}  // namespace

std::vector<graph::Tensor> evaluate(const graph::NodeCall& call) {
  std::vector<graph::Tensor> results = kernels()[call.op].function.value()(call);
  if (results.size() > call.outputs.size()) results.resize(call.outputs.size());
  return results;
}

}  // namespace weft::reference
