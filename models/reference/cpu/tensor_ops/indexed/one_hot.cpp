// OneHot: along a new axis, the place that an index names has the value "on", all others "off". An
// index out of range names no place. Indices that are no integers are cut to integers, as by Cast.
#include <algorithm>

#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/convert.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/raw.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

template <class R>
void mark(const std::vector<std::int64_t>& indices, const AxisView& view, R on, R* out) {
  for (std::size_t n = 0; n < indices.size(); ++n) {
    const std::int64_t index = indices[n];
    if (index < -view.extent || index >= view.extent) continue;
    const std::int64_t place = index < 0 ? index + view.extent : index;
    const auto position = static_cast<std::int64_t>(n);
    const std::int64_t outer = position / view.inner;
    out[(outer * view.extent + place) * view.inner + position % view.inner] = on;
  }
}

std::vector<Tensor> evaluate_one_hot(const NodeCall& call) {
  const Tensor whole = convert_tensor(input(call, 0), graph::DataType::kInt64);
  const Tensor& values = input(call, 2);
  Tensor result(call.outputs[0]);
  if (result.size() == 0) return {std::move(result)};
  const AxisView view = view_along(result.shape(), axis_of(call, -1, result.rank()));
  with_raw(values.type(), [&]<class R>(R) {
    const R* pair = raw_data<R>(values);  // off, on
    R* out = mutable_raw_data<R>(result);
    std::fill_n(out, result.size(), pair[0]);
    mark(graph::to_int64(whole), view, pair[1], out);
  });
  return {std::move(result)};
}

}  // namespace

Kernels one_hot_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kOneHot, evaluate_one_hot},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
