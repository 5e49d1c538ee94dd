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

using Bound = BoundedResult (Bounds::*)() const;
using Entry = graph::OpEntry<Bound>;

const Entry& entry_of(Op op) {
  constexpr std::string_view kIntegers = "its results are integers, which are compared exactly";
  constexpr std::string_view kHost = "the host computes it";
  static constexpr auto kEntries = std::to_array<Entry>({
      // Sums
      {Op::kConv, &Bounds::contraction},
      {Op::kMatMul, &Bounds::contraction},
      {Op::kGemm, &Bounds::contraction},
      {Op::kReduceMean, &Bounds::sum},
      {Op::kReduceSum, &Bounds::sum},
      {Op::kAveragePool, &Bounds::average},
      {Op::kGlobalAveragePool, &Bounds::average},
      {Op::kSoftmax, &Bounds::softmax},
      {Op::kLogSoftmax, &Bounds::softmax},
      {Op::kLayerNormalization, &Bounds::normalization},
      // Elements of the operands
      {Op::kMaxPool, &Bounds::exact},
      {Op::kGlobalMaxPool, &Bounds::exact},
      {Op::kReduceMax, &Bounds::exact},
      {Op::kReduceMin, &Bounds::exact},
      {Op::kConcat, &Bounds::exact},
      {Op::kTranspose, &Bounds::of_finite},
      {Op::kWhere, &Bounds::of_finite},
      {Op::kIdentity, &Bounds::elementwise},
      {Op::kCast, &Bounds::elementwise},
      {Op::kDropout, &Bounds::elementwise},
      {Op::kReshape, &Bounds::elementwise},
      {Op::kFlatten, &Bounds::elementwise},
      {Op::kSqueeze, &Bounds::elementwise},
      {Op::kUnsqueeze, &Bounds::elementwise},
      {Op::kSlice, &Bounds::elementwise},
      {Op::kSplit, &Bounds::elementwise},
      {Op::kGather, &Bounds::elementwise},
      {Op::kExpand, &Bounds::elementwise},
      // Truth values
      {Op::kEqual, &Bounds::of_finite},
      {Op::kLess, &Bounds::of_finite},
      {Op::kGreater, &Bounds::of_finite},
      {Op::kNot, &Bounds::exact},
      {Op::kAnd, &Bounds::exact},
      {Op::kOr, &Bounds::exact},
      // Others
      Entry::none(Op::kConvInteger, kIntegers),
      Entry::none(Op::kQLinearConv, kIntegers),
      Entry::none(Op::kMatMulInteger, kIntegers),
      Entry::none(Op::kQLinearMatMul, kIntegers),
      Entry::none(Op::kQuantizeLinear, kIntegers),
      Entry::none(Op::kDynamicQuantizeLinear, kIntegers),
      Entry::none(Op::kArgMax, kIntegers),
      Entry::none(Op::kShape, kIntegers),
      Entry::none(Op::kDequantizeLinear, kHost),
      Entry::none(Op::kConvTranspose, kHost),
      Entry::none(Op::kMean, kHost),
      Entry::none(Op::kSum, kHost),
      Entry::none(Op::kBatchNormalization, kHost),
      Entry::none(Op::kInstanceNormalization, kHost),
      Entry::none(Op::kLrn, kHost),
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
      graph::entries_with<Bound>(graph::Trait::kFunction, &Bounds::elementwise);
  static const std::vector<Entry> kBinary =
      graph::entries_with<Bound>(graph::Trait::kBinary, &Bounds::elementwise);
  static const graph::OpArray<Bound> kBounds("error bounds", {kEntries, kUnary, kBinary});
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
  return (Bounds(node).**entry.function)();
}

}  // namespace weft::runtime
