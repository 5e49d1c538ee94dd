// Operators that move elements: strided copies, joins, gathers.
#include <algorithm>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/graph/shapes/slice.h"
#include "models/reference/cpu/tensor_ops/broadcast.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cuda/graph/operators.h"
#include "models/reference/cuda/graph/units.h"

namespace weft::cuda {
namespace {

using graph::Shape;

/// A strided view of a tensor: element start + sum of index_d * strides[d].
struct DeviceView {
  Shape strides;
  std::int64_t start = 0;
};

DeviceView whole(const Shape& shape) {
  return {graph::row_major_strides(shape), 0};
}

/// Copies view `from` of input `i` to view `to` of the memory `out`. Both have these extents.
void copy(NodeRun& node, std::size_t i, const Shape& extents, const DeviceView& from, void* out,
          const DeviceView& to) {
  const Strided<2> walk = strided<2>(extents, {from.strides, to.strides}, {from.start, to.start});
  with_unit(node.type(i).type, [&]<class Unit>(Unit) {
    node.run(Copy<Unit>{node.input<Unit>(i), static_cast<Unit*>(out), walk},
             graph::element_count(extents));
  });
}

void* new_result(NodeRun& node, std::size_t o) {
  void* memory = nullptr;
  with_unit(node.result_type(o), [&]<class Unit>(Unit) { memory = node.result<Unit>(o); });
  return memory;
}

/// Copies a view of input 0 to the whole result.
void copy_view(NodeRun& node, const Shape& extents, const DeviceView& from) {
  void* out = new_result(node, 0);
  copy(node, 0, extents, from, out, whole(extents));
}

std::size_t axis_of(const NodeRun& node, const Shape& shape) {
  return static_cast<std::size_t>(graph::normalized_axis(node.attributes().integer("axis", 0),
                                                         static_cast<std::int64_t>(shape.size())));
}

// The integers in input `i`; empty if it is left out.
Shape numbers(NodeRun& node, std::size_t i) {
  return node.has(i) ? graph::to_int64(node.host(i)) : Shape{};
}

std::vector<std::int64_t> checked_indices(const graph::Tensor& indices, std::int64_t extent) {
  std::vector<std::int64_t> result = graph::to_int64(indices);
  for (std::int64_t& index : result) index = reference::tensor_ops::checked_index(index, extent);
  return result;
}

/// Fills the result with the constant of a Pad, 0 if it is left out.
void fill(NodeRun& node, void* out) {
  with_unit(node.type(0).type, [&]<class Unit>(Unit) {
    const Unit* value = node.input<Unit>(2);
    const Memory zero = node.device().allocate(sizeof(Unit));
    const Unit none{0};
    if (value == nullptr) node.device().upload(zero.get(), &none, sizeof none);
    node.run(
        Fill<Unit>{value == nullptr ? elements_of<Unit>(zero) : value, static_cast<Unit*>(out)},
        node.result_count());
  });
}

// Only without a mask output and without a training mode input.
bool takes_dropout(const graph::Graph&, const graph::Node& node) {
  return node.input(2) == graph::kNoValue &&
         (node.outputs.size() == 1 || node.outputs[1] == graph::kNoValue);
}

bool takes_tile(const graph::Graph& graph, const graph::Node& node) {
  return 2 * graph.type(node.inputs[0]).shape.size() <= kMaxDims;
}

bool takes_pad(const graph::Graph& graph, const graph::Node& node) {
  return takes_any(graph, node) && node.attributes.text("mode", "constant") == "constant" &&
         node.input(3) == graph::kNoValue;
}

void run_same_elements(NodeRun& node) {
  node.share(0, 0);
}

void run_transpose(NodeRun& node) {
  const Shape& shape = node.shape(0);
  const Shape own = graph::row_major_strides(shape);
  Shape reversed;
  for (std::size_t d = shape.size(); d-- > 0;) reversed.push_back(static_cast<std::int64_t>(d));
  DeviceView view;
  Shape extents;
  for (const std::int64_t d : node.attributes().integers("perm", reversed)) {
    extents.push_back(shape[static_cast<std::size_t>(d)]);
    view.strides.push_back(own[static_cast<std::size_t>(d)]);
  }
  copy_view(node, extents, view);
}

void run_slice(NodeRun& node) {
  DeviceView view = whole(node.shape(0));
  Shape extents;
  const auto slices = graph::resolve_slices(node.shape(0), numbers(node, 1), numbers(node, 2),
                                            numbers(node, 3), numbers(node, 4));
  for (std::size_t d = 0; d < slices.size(); ++d) {
    extents.push_back(slices[d].length);
    // An empty slice reads nothing. For a single element, the step may be too large to multiply.
    if (slices[d].length > 0) view.start += slices[d].start * view.strides[d];
    view.strides[d] *= slices[d].length > 1 ? slices[d].step : 0;
  }
  copy_view(node, extents, view);
}

void run_expand(NodeRun& node) {
  const Shape& shape = node.result_shape();
  copy_view(node, shape, {reference::tensor_ops::broadcast_strides(node.shape(0), shape), 0});
}

// Every dimension becomes two: its repeats, with stride 0, and itself.
void run_tile(NodeRun& node) {
  const Shape repeats = numbers(node, 1);
  const Shape own = graph::row_major_strides(node.shape(0));
  DeviceView view;
  Shape extents;
  for (std::size_t d = 0; d < own.size(); ++d) {
    extents.insert(extents.end(), {repeats[d], node.shape(0)[d]});
    view.strides.insert(view.strides.end(), {0, own[d]});
  }
  copy_view(node, extents, view);
}

void run_concat(NodeRun& node) {
  void* out = new_result(node, 0);
  DeviceView to = whole(node.result_shape());
  const std::size_t axis = axis_of(node, node.result_shape());
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    copy(node, i, node.shape(i), whole(node.shape(i)), out, to);
    to.start += node.shape(i)[axis] * to.strides[axis];
  }
}

void run_split(NodeRun& node) {
  DeviceView from = whole(node.shape(0));
  const std::size_t axis = axis_of(node, node.shape(0));
  const std::vector<graph::ValueType> parts = node.result_types();
  for (std::size_t o = 0; o < parts.size(); ++o) {
    const Shape& extents = parts[o].shape;
    if (node.wants(o)) copy(node, 0, extents, from, new_result(node, o), whole(extents));
    from.start += extents[axis] * from.strides[axis];
  }
}

void run_gather(NodeRun& node) {
  const Shape& shape = node.shape(0);
  const std::size_t axis = axis_of(node, shape);
  const std::vector<std::int64_t> indices = checked_indices(node.host(1), shape[axis]);
  const auto count = static_cast<std::int64_t>(indices.size());
  const Memory on_device = node.device().allocate(count * 8);
  node.device().upload(on_device.get(), indices.data(), count * 8);
  const std::int64_t inner = graph::row_major_strides(shape)[axis];
  with_unit(node.type(0).type, [&]<class Unit>(Unit) {
    const Unit* from = node.input<Unit>(0);
    node.run(Gather<Unit>{from, elements_of<std::int64_t>(on_device), node.result<Unit>(),
                          shape[axis], count, inner},
             node.result_count());
  });
}

// Writes the constant everywhere, then the part of the input that the pads leave. Negative pads
// remove elements.
void run_pad(NodeRun& node) {
  const Shape pads = numbers(node, 1);
  const Shape& shape = node.shape(0);
  DeviceView from = whole(shape);
  DeviceView to = whole(node.result_shape());
  Shape extents;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t first = std::max<std::int64_t>(pads[d], 0);
    const std::int64_t end = std::min(pads[d] + shape[d], node.result_shape()[d]);
    extents.push_back(std::max<std::int64_t>(end - first, 0));
    to.start += first * to.strides[d];
    from.start += (first - pads[d]) * from.strides[d];
  }
  void* out = new_result(node, 0);
  fill(node, out);
  copy(node, 0, extents, from, out, to);
}

}  // namespace

DeviceOperators movement_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kIdentity, {{takes_any, run_same_elements, kBits}}},
      {Op::kDropout, {{takes_dropout, run_same_elements, kBits}}},
      {Op::kReshape, {{takes_any, run_same_elements, kBits}}},
      {Op::kFlatten, {{takes_any, run_same_elements, kBits}}},
      {Op::kSqueeze, {{takes_any, run_same_elements, kBits}}},
      {Op::kUnsqueeze, {{takes_any, run_same_elements, kBits}}},
      {Op::kTranspose, {{takes_any, run_transpose, kBits}}},
      {Op::kSlice, {{takes_any, run_slice, kBits}}},
      {Op::kExpand, {{takes_any, run_expand, kBits}}},
      {Op::kTile, {{takes_tile, run_tile, kBits}}},
      {Op::kConcat, {{takes_any, run_concat, kBits}}},
      {Op::kSplit, {{takes_any, run_split, kBits}}},
      {Op::kGather, {{takes_any, run_gather, kBits}}},
      {Op::kPad, {{takes_pad, run_pad, kBits}}},
      DeviceEntry::none(Op::kShape, "its operands are on the host"),
      DeviceEntry::none(Op::kConstantOfShape, "its operands are on the host"),
      DeviceEntry::none(Op::kRange, "its operands are on the host"),
      DeviceEntry::none(Op::kResize, "only the CPU reference computes it"),
  });
  return kOperators;
}

}  // namespace weft::cuda
