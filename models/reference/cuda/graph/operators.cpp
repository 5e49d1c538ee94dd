#include "models/reference/cuda/graph/operators.h"

#include <algorithm>
#include <array>

#include "models/reference/cuda/bodies/windows.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Op;

std::size_t rank(const Graph& graph, const Node& node, std::size_t input) {
  return graph.type(node.inputs[input]).shape.size();
}

bool is_type(const Graph& graph, graph::ValueId id, DataType type) {
  return id == graph::kNoValue || graph.type(id).type == type;
}

bool has_small_rank(const Graph& graph, const Node& node) {
  const auto small = [&](graph::ValueId id) {
    return id == graph::kNoValue || graph.type(id).shape.size() <= kMaxDims;
  };
  return std::ranges::all_of(node.inputs, small) && std::ranges::all_of(node.outputs, small);
}

// All inputs are of this type.
bool takes_inputs(const Graph& graph, const Node& node, DataType type) {
  return has_small_rank(graph, node) && std::ranges::all_of(node.inputs, [&](graph::ValueId id) {
           return is_type(graph, id, type);
         });
}

bool takes_floats(const Graph& graph, const Node& node) {
  return takes_inputs(graph, node, DataType::kFloat32);
}
bool takes_bools(const Graph& graph, const Node& node) {
  return takes_inputs(graph, node, DataType::kBool);
}
bool takes_comparable(const Graph& graph, const Node& node) {
  return takes_floats(graph, node) || takes_inputs(graph, node, DataType::kInt64);
}
// Only the first input is data; the others are parameters such as axes.
bool takes_float_data(const Graph& graph, const Node& node) {
  return has_small_rank(graph, node) && is_type(graph, node.inputs[0], DataType::kFloat32);
}
bool takes_any(const Graph& graph, const Node& node) {
  return has_small_rank(graph, node);
}

bool takes_cast(const Graph& graph, const Node& node) {
  const DataType from = graph.type(node.inputs[0]).type;
  const DataType to = graph.type(node.outputs[0]).type;
  if (from == to) return true;
  if (to == DataType::kBool) return from == DataType::kFloat32;
  return to == DataType::kFloat32 &&
         (from == DataType::kBool || from == DataType::kInt32 || from == DataType::kInt64);
}

// Only without a mask output and without a training mode input.
bool takes_dropout(const Graph&, const Node& node) {
  return node.input(2) == graph::kNoValue &&
         (node.outputs.size() == 1 || node.outputs[1] == graph::kNoValue);
}

// One to three spatial dimensions.
bool takes_window(const Graph& graph, const Node& node) {
  const std::size_t dims = rank(graph, node, 0);
  return takes_floats(graph, node) && dims >= 3 &&
         dims <= 2 + static_cast<std::size_t>(kMaxWindowDims);
}

bool takes_batch_normalization(const Graph& graph, const Node& node) {
  return takes_floats(graph, node) && node.outputs.size() == 1 && rank(graph, node, 0) >= 2 &&
         node.attributes.integer("training_mode", 0) == 0;
}

bool takes_tile(const Graph& graph, const Node& node) {
  return 2 * rank(graph, node, 0) <= kMaxDims;
}

bool takes_pad(const Graph& graph, const Node& node) {
  return has_small_rank(graph, node) && node.attributes.text("mode", "constant") == "constant" &&
         node.input(3) == graph::kNoValue;
}

constexpr std::array kOperators = std::to_array<DeviceOperator>({
    {Op::kConv, takes_window, run_conv},
    {Op::kConvTranspose, takes_window, run_conv_transpose},
    {Op::kMatMul, takes_floats, run_matmul},
    {Op::kGemm, takes_floats, run_gemm},
    {Op::kRelu, takes_floats, run_unary},
    {Op::kLeakyRelu, takes_floats, run_unary},
    {Op::kElu, takes_floats, run_unary},
    {Op::kSelu, takes_floats, run_unary},
    {Op::kSigmoid, takes_floats, run_unary},
    {Op::kHardSigmoid, takes_floats, run_unary},
    {Op::kHardSwish, takes_floats, run_unary},
    {Op::kTanh, takes_floats, run_unary},
    {Op::kErf, takes_floats, run_unary},
    {Op::kSoftplus, takes_floats, run_unary},
    {Op::kSqrt, takes_floats, run_unary},
    {Op::kExp, takes_floats, run_unary},
    {Op::kLog, takes_floats, run_unary},
    {Op::kNeg, takes_floats, run_unary},
    {Op::kAbs, takes_floats, run_unary},
    {Op::kReciprocal, takes_floats, run_unary},
    {Op::kClip, takes_floats, run_clip},
    {Op::kCast, takes_cast, run_cast},
    {Op::kAdd, takes_floats, run_fold},
    {Op::kSub, takes_floats, run_fold},
    {Op::kMul, takes_floats, run_fold},
    {Op::kDiv, takes_floats, run_fold},
    {Op::kMin, takes_floats, run_fold},
    {Op::kMax, takes_floats, run_fold},
    {Op::kMean, takes_floats, run_fold},
    {Op::kSum, takes_floats, run_fold},
    {Op::kPow, takes_floats, run_fold},
    {Op::kPRelu, takes_floats, run_fold},
    {Op::kEqual, takes_comparable, run_compare},
    {Op::kLess, takes_comparable, run_compare},
    {Op::kGreater, takes_comparable, run_compare},
    {Op::kAnd, takes_bools, run_logic},
    {Op::kOr, takes_bools, run_logic},
    {Op::kNot, takes_bools, run_not},
    {Op::kWhere, takes_any, run_where},
    {Op::kSoftmax, takes_floats, run_softmax},
    {Op::kLogSoftmax, takes_floats, run_softmax},
    {Op::kReduceMean, takes_float_data, run_reduce},
    {Op::kReduceSum, takes_float_data, run_reduce},
    {Op::kReduceMax, takes_float_data, run_reduce},
    {Op::kReduceMin, takes_float_data, run_reduce},
    {Op::kArgMax, takes_floats, run_arg_max},
    {Op::kMaxPool, takes_window, run_max_pool},
    {Op::kAveragePool, takes_window, run_average_pool},
    {Op::kGlobalAveragePool, takes_floats, run_global_pool},
    {Op::kGlobalMaxPool, takes_floats, run_global_pool},
    {Op::kBatchNormalization, takes_batch_normalization, run_batch_normalization},
    {Op::kInstanceNormalization, takes_floats, run_instance_normalization},
    {Op::kLayerNormalization, takes_floats, run_layer_normalization},
    {Op::kLrn, takes_floats, run_lrn},
    {Op::kIdentity, takes_any, run_same_elements},
    {Op::kDropout, takes_dropout, run_same_elements},
    {Op::kReshape, takes_any, run_same_elements},
    {Op::kFlatten, takes_any, run_same_elements},
    {Op::kSqueeze, takes_any, run_same_elements},
    {Op::kUnsqueeze, takes_any, run_same_elements},
    {Op::kTranspose, takes_any, run_transpose},
    {Op::kSlice, takes_any, run_slice},
    {Op::kExpand, takes_any, run_expand},
    {Op::kTile, takes_tile, run_tile},
    {Op::kConcat, takes_any, run_concat},
    {Op::kSplit, takes_any, run_split},
    {Op::kGather, takes_any, run_gather},
    {Op::kPad, takes_pad, run_pad},
});

}  // namespace

std::span<const DeviceOperator> device_operators() {
  return kOperators;
}

const DeviceOperator* find_operator(const Graph& graph, const Node& node) {
  const auto* found = std::ranges::find(kOperators, node.op, &DeviceOperator::op);
  if (found == kOperators.end() || node.outputs[0] == graph::kNoValue) return nullptr;
  if (!found->takes(graph, node)) return nullptr;
  return found;
}

}  // namespace weft::cuda
