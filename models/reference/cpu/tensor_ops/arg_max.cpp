// ArgMax: the index of the largest element along an axis. Among equal elements it takes the first,
// or the last with select_last_index. A NaN is larger than every number, as in NumPy.
#include <vector>

#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/extrema.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

// Whether `x` takes the place of `y`. A NaN takes the place of every number.
struct Higher {
  template <class T>
  bool operator()(T x, T y) const {
    return above(x, y);
  }
};
struct Lower {
  template <class T>
  bool operator()(T x, T y) const {
    return x < y || (x != x && y == y);
  }
};

// One block of extent x inner elements; `best` gets `inner` indices.
template <class Better, class T>
void arg_extreme(const T* block, const AxisView& view, bool last, std::int64_t* best) {
  const Better better;
  for (std::int64_t a = 1; a < view.extent; ++a) {
    for (std::int64_t i = 0; i < view.inner; ++i) {
      const auto candidate = widen(block[a * view.inner + i]);
      const auto champion = widen(block[best[i] * view.inner + i]);
      if (last ? !better(champion, candidate) : better(candidate, champion)) best[i] = a;
    }
  }
}

template <class Better>
std::vector<Tensor> evaluate_arg_extreme(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const AxisView view = view_along(x.shape(), axis_of(call, 0, x.rank()));
  const bool last = call.attributes.integer("select_last_index", 0) != 0;
  if (view.extent == 0) throw InputError("an empty axis has no extreme element");
  return {with_numbers(x.type(), [&]<class T>(T) {
    Tensor result(call.outputs[0]);
    std::int64_t* best = result.mutable_data<std::int64_t>().data();
    for (std::int64_t o = 0; o < view.outer; ++o, best += view.inner) {
      arg_extreme<Better>(x.data<T>().data() + o * view.extent * view.inner, view, last, best);
    }
    return result;
  })};
}

}  // namespace

Kernels arg_max_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kArgMax, evaluate_arg_extreme<Higher>},
      {Op::kArgMin, evaluate_arg_extreme<Lower>},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
