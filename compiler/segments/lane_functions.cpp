// ONNX operators as functions of the vector unit.
#include <bit>

#include "compiler/graph/op_array.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::Op;
using graph::OpArray;
using graph::OpEntry;
using graph::Trait;

namespace {

const OpArray<VectorOp>& functions() {
  static constexpr auto kFunctions = std::to_array<OpEntry<VectorOp>>({
      {Op::kRelu, VectorOp::kRelu},
      {Op::kLeakyRelu, VectorOp::kLeakyRelu},
      {Op::kElu, VectorOp::kElu},
      {Op::kSelu, VectorOp::kSelu},
      {Op::kSigmoid, VectorOp::kSigmoid},
      {Op::kHardSigmoid, VectorOp::kHardSigmoid},
      {Op::kHardSwish, VectorOp::kHardSwish},
      {Op::kTanh, VectorOp::kTanh},
      {Op::kErf, VectorOp::kErf},
      {Op::kSoftplus, VectorOp::kSoftplus},
      {Op::kClip, VectorOp::kClamp},
      {Op::kSqrt, VectorOp::kSqrt},
      {Op::kExp, VectorOp::kExp},
      {Op::kLog, VectorOp::kLog},
      {Op::kNeg, VectorOp::kNeg},
      {Op::kAbs, VectorOp::kAbs},
      {Op::kReciprocal, VectorOp::kReciprocal},
  });
  static const OpArray<VectorOp> kArray("lane functions", {kFunctions}, Trait::kFunction);
  return kArray;
}

}  // namespace

std::optional<VectorCombine> lane_combine(Op op) {
  static constexpr auto kCombines = std::to_array<OpEntry<VectorCombine>>({
      {Op::kAdd, VectorCombine::kAdd},
      {Op::kSub, VectorCombine::kSub},
      {Op::kMul, VectorCombine::kMul},
      {Op::kDiv, VectorCombine::kDiv},
      {Op::kPow, VectorCombine::kPow},
      {Op::kMin, VectorCombine::kMin},
      {Op::kMax, VectorCombine::kMax},
      {Op::kPRelu, VectorCombine::kPrelu},
  });
  static const OpArray<VectorCombine> kArray("lane combines", {kCombines}, Trait::kBinary);
  return kArray.find(op);
}

std::optional<LaneFunction> lane_function(std::string_view op, float first, float second) {
  const std::optional<Op> known = graph::op_from_string(op);
  const auto function = known ? functions().find(*known) : std::nullopt;
  if (!function) return std::nullopt;
  return LaneFunction{*function, std::bit_cast<std::uint32_t>(first),
                      std::bit_cast<std::uint32_t>(second)};
}

std::optional<LaneFunction> lane_function(const graph::Node& node) {
  if (node.op == Op::kClip) return std::nullopt;
  const auto [first, second] = graph::parameters_of(node.op, node.attributes);
  return lane_function(to_string(node.op), first, second);
}

}  // namespace weft::compiler
