// GatherElements and GatherND: they copy the runs that indices name.
#include <algorithm>

#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/indexed/index_runs.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/raw.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

std::vector<Tensor> gathered(const NodeCall& call, const IndexRuns& runs) {
  const Tensor& x = input(call, 0);
  Tensor result(call.outputs[0]);
  with_raw(x.type(), [&]<class R>(R) {
    const R* from = raw_data<R>(x);
    R* out = mutable_raw_data<R>(result);
    for (const std::int64_t start : runs.starts) {
      out = std::copy_n(from + start, runs.length, out);
    }
  });
  return {std::move(result)};
}

std::vector<Tensor> evaluate_gather_elements(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  return gathered(call, element_runs(input(call, 1), x.shape(), axis_of(call, 0, x.rank())));
}

std::vector<Tensor> evaluate_gather_nd(const NodeCall& call) {
  const std::int64_t batch_dims = call.attributes.integer("batch_dims", 0);
  return gathered(call, tuple_runs(input(call, 1), input(call, 0).shape(), batch_dims));
}

}  // namespace

Kernels indexed_gather_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kGatherElements, evaluate_gather_elements},
      {Op::kGatherNd, evaluate_gather_nd},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
