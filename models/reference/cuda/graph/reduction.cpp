// ReduceSum and the other reductions, Softmax, ArgMax, ArgMin.
#include <numeric>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cuda/graph/lanes.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {
namespace {

using graph::Shape;
using reference::tensor_ops::AxisView;

// The axes from input 1, or from the attribute in older operator sets.
Shape reduced_axes(NodeRun& node) {
  const auto rank = static_cast<std::int64_t>(node.shape(0).size());
  Shape axes = node.has(1) ? graph::to_int64(node.host(1)) : node.attributes().integers("axes");
  for (std::int64_t& axis : axes) axis = graph::normalized_axis(axis, rank);
  if (axes.empty() && node.attributes().integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

AxisView axis_view(const NodeRun& node, std::int64_t otherwise) {
  const Shape& shape = node.shape(0);
  const std::int64_t axis = graph::normalized_axis(node.attributes().integer("axis", otherwise),
                                                   static_cast<std::int64_t>(shape.size()));
  return reference::tensor_ops::view_along(shape, axis);
}

template <ReduceKind kind, bool mean = false>
void run_reduce(NodeRun& node) {
  const StridedLanes lanes = lanes_along(node.shape(0), reduced_axes(node));
  if (lanes.count != node.result_count()) {
    throw InputError("reducing these axes gives another number of elements than the result has");
  }
  const float* x = node.input<float>(0);
  const Memory total = reduce_lanes(node.device(), kind, x, lanes, nullptr,
                                    mean ? static_cast<double>(lanes.length) : 1.0);
  node.run(Round{elements_of<double>(total), node.result<float>()}, lanes.count);
}

template <bool logarithm>
void run_softmax(NodeRun& node) {
  const AxisView view = axis_view(node, -1);
  const StridedLanes lanes = lanes_along({view.outer, view.extent, view.inner}, {1});
  const float* x = node.input<float>(0);
  const Memory shift = reduce_lanes(node.device(), ReduceKind::kMax, x, lanes);
  const Memory sum =
      reduce_lanes(node.device(), ReduceKind::kSumExp, x, lanes, elements_of<double>(shift));
  node.run(Softmax{logarithm, x, elements_of<double>(shift), elements_of<double>(sum),
                   node.result<float>(), view.extent, view.inner},
           node.result_count());
}

template <bool least>
void run_arg_extreme(NodeRun& node) {
  const AxisView view = axis_view(node, 0);
  if (view.extent == 0) throw InputError("an empty axis has no extreme element");
  const bool last = node.attributes().integer("select_last_index", 0) != 0;
  const float* x = node.input<float>(0);
  node.run(ArgExtreme{x, node.result<std::int64_t>(), view.extent, view.inner, least, last},
           node.result_count());
}

}  // namespace

DeviceOperators reduction_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kSoftmax, {{takes_floats, run_softmax<false>, kLastPlace}}},
      {Op::kLogSoftmax, {{takes_floats, run_softmax<true>, kLastPlace}}},
      {Op::kReduceMean, {{takes_float_data, run_reduce<ReduceKind::kSum, true>, kLastPlace}}},
      {Op::kReduceSum, {{takes_float_data, run_reduce<ReduceKind::kSum>, kLastPlace}}},
      {Op::kReduceMax, {{takes_float_data, run_reduce<ReduceKind::kMax>, kBits}}},
      {Op::kReduceMin, {{takes_float_data, run_reduce<ReduceKind::kMin>, kBits}}},
      {Op::kReduceProd, {{takes_float_data, run_reduce<ReduceKind::kProduct>, kLastPlace}}},
      {Op::kArgMax, {{takes_floats, run_arg_extreme<false>, kBits}}},
      {Op::kArgMin, {{takes_floats, run_arg_extreme<true>, kBits}}},
  });
  return kOperators;
}

}  // namespace weft::cuda
