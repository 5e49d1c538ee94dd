#include "runtime/rounding_bounds.h"

#include <fmt/format.h>

#include "base/error.h"
#include "compiler/graph/op_array.h"
#include "compiler/graph/shapes/infer_outputs.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/node_bounds.h"

namespace weft::runtime {
namespace {

using graph::Node;
using graph::Op;
using graph::Tensor;

using NodeBound = BoundedResult (NodeBounds::*)() const;
using Entry = graph::OpEntry<NodeBound>;

// NOLINTNEXTLINE(readability-function-size): a table
const Entry& entry_of(Op op) {
  constexpr std::string_view kIntegers = "its results are integers, which are compared exactly";
  constexpr std::string_view kHost = "the host computes it";
  static constexpr auto kEntries = std::to_array<Entry>({
      // Sums
      {Op::kConv, &NodeBounds::contraction},
      {Op::kMatMul, &NodeBounds::contraction},
      {Op::kGemm, &NodeBounds::contraction},
      {Op::kReduceMean, &NodeBounds::sum},
      {Op::kReduceSum, &NodeBounds::sum},
      {Op::kAveragePool, &NodeBounds::average},
      {Op::kGlobalAveragePool, &NodeBounds::average},
      {Op::kSoftmax, &NodeBounds::softmax},
      {Op::kLogSoftmax, &NodeBounds::softmax},
      {Op::kLayerNormalization, &NodeBounds::normalization},
      // Elements of the operands
      {Op::kMaxPool, &NodeBounds::exact},
      {Op::kGlobalMaxPool, &NodeBounds::exact},
      {Op::kReduceMax, &NodeBounds::exact},
      {Op::kReduceMin, &NodeBounds::exact},
      {Op::kConcat, &NodeBounds::exact},
      {Op::kTranspose, &NodeBounds::of_finite},
      {Op::kWhere, &NodeBounds::of_finite},
      {Op::kIdentity, &NodeBounds::elementwise},
      {Op::kCast, &NodeBounds::elementwise},
      {Op::kDropout, &NodeBounds::elementwise},
      {Op::kReshape, &NodeBounds::elementwise},
      {Op::kFlatten, &NodeBounds::elementwise},
      {Op::kSqueeze, &NodeBounds::elementwise},
      {Op::kUnsqueeze, &NodeBounds::elementwise},
      {Op::kSlice, &NodeBounds::elementwise},
      {Op::kSplit, &NodeBounds::elementwise},
      {Op::kGather, &NodeBounds::elementwise},
      {Op::kExpand, &NodeBounds::elementwise},
      // Truth values
      {Op::kEqual, &NodeBounds::of_finite},
      {Op::kLess, &NodeBounds::of_finite},
      {Op::kGreater, &NodeBounds::of_finite},
      {Op::kNot, &NodeBounds::exact},
      {Op::kAnd, &NodeBounds::exact},
      {Op::kOr, &NodeBounds::exact},
      // Others
      Entry::none(Op::kConvInteger, kIntegers),
      Entry::none(Op::kQLinearConv, kIntegers),
      Entry::none(Op::kMatMulInteger, kIntegers),
      Entry::none(Op::kQLinearMatMul, kIntegers),
      Entry::none(Op::kQuantizeLinear, kIntegers),
      Entry::none(Op::kDynamicQuantizeLinear, kIntegers),
      Entry::none(Op::kArgMax, kIntegers),
      Entry::none(Op::kArgMin, kIntegers),
      Entry::none(Op::kShape, kIntegers),
      Entry::none(Op::kDequantizeLinear, kHost),
      Entry::none(Op::kConvTranspose, kHost),
      Entry::none(Op::kMean, kHost),
      Entry::none(Op::kSum, kHost),
      Entry::none(Op::kBatchNormalization, kHost),
      Entry::none(Op::kInstanceNormalization, kHost),
      Entry::none(Op::kLrn, kHost),
      Entry::none(Op::kSin, kHost),
      Entry::none(Op::kCos, kHost),
      Entry::none(Op::kRound, kHost),
      Entry::none(Op::kFloor, kHost),
      Entry::none(Op::kCeil, kHost),
      Entry::none(Op::kSign, kHost),
      Entry::none(Op::kMod, kHost),
      Entry::none(Op::kIsNan, kHost),
      Entry::none(Op::kIsInf, kHost),
      Entry::none(Op::kXor, kHost),
      Entry::none(Op::kReduceProd, kHost),
      Entry::none(Op::kTopK, kHost),
      Entry::none(Op::kCumSum, kHost),
      Entry::none(Op::kGatherElements, kHost),
      Entry::none(Op::kGatherNd, kHost),
      Entry::none(Op::kScatterElements, kHost),
      Entry::none(Op::kScatterNd, kHost),
      Entry::none(Op::kOneHot, kHost),
      Entry::none(Op::kGridSample, kHost),
      Entry::none(Op::kConstantOfShape, kHost),
      Entry::none(Op::kTile, kHost),
      Entry::none(Op::kPad, kHost),
      Entry::none(Op::kResize, kHost),
      Entry::none(Op::kRange, kHost),
      Entry::none(Op::kLstm, kHost),
      Entry::none(Op::kGru, kHost),
      Entry::none(Op::kRnn, kHost),
  });
  static const std::vector<Entry> kUnary =
      graph::entries_with<NodeBound>(graph::Trait::kFunction, &NodeBounds::elementwise);
  static const std::vector<Entry> kBinary =
      graph::entries_with<NodeBound>(graph::Trait::kBinary, &NodeBounds::elementwise);
  static const graph::OpArray<NodeBound> kBounds("error bounds", {kEntries, kUnary, kBinary});
  return kBounds[op];
}

}  // namespace

std::vector<Tensor> evaluate_in_double(const graph::Graph& graph, const Node& node,
                                       std::span<const Tensor* const> operands,
                                       const graph::Attributes& attributes) {
  std::vector<graph::ValueType> types = graph::output_types(graph, node);
  for (graph::ValueType& type : types) {
    if (graph::is_float(type.type)) type.type = graph::DataType::kFloat64;
  }
  return reference::evaluate({node.op, attributes, operands, types});
}

BoundedResult bounded_result(const BoundedNode& node) {
  const Entry& entry = entry_of(node.node.op);
  if (!entry.function) {
    throw InputError(
        fmt::format("{}: there is no error bound: {}", graph::node_label(node.node), entry.reason));
  }
  return (NodeBounds(node).**entry.function)();
}

}  // namespace weft::runtime
