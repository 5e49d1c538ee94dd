// ONNX operators as functions of the vector unit.
#include <bit>

#include "compiler/segments/planner.h"

namespace weft::network {

using graph::Op;

std::optional<LaneFunction> lane_function(std::string_view op, float first, float second) {
  struct Entry {
    Op op;
    VectorOp function;
  };
  constexpr Entry kFunctions[] = {
      {Op::kRelu, VectorOp::kRelu},
      {Op::kClip, VectorOp::kClamp},
      {Op::kLeakyRelu, VectorOp::kLeakyRelu},
      {Op::kElu, VectorOp::kElu},
      {Op::kSelu, VectorOp::kSelu},
      {Op::kSigmoid, VectorOp::kSigmoid},
      {Op::kHardSigmoid, VectorOp::kHardSigmoid},
      {Op::kHardSwish, VectorOp::kHardSwish},
      {Op::kTanh, VectorOp::kTanh},
      {Op::kErf, VectorOp::kErf},
      {Op::kSoftplus, VectorOp::kSoftplus},
      {Op::kSqrt, VectorOp::kSqrt},
      {Op::kExp, VectorOp::kExp},
      {Op::kLog, VectorOp::kLog},
      {Op::kNeg, VectorOp::kNeg},
      {Op::kAbs, VectorOp::kAbs},
      {Op::kReciprocal, VectorOp::kReciprocal},
  };
  for (const Entry& entry : kFunctions) {
    if (to_string(entry.op) != op) continue;
    return LaneFunction{entry.function, std::bit_cast<std::uint32_t>(first),
                        std::bit_cast<std::uint32_t>(second)};
  }
  return std::nullopt;
}

std::optional<LaneFunction> lane_function(const graph::Node& node) {
  // These are the defaults of the ONNX operators.
  const auto with = [&](float alpha, float second, std::string_view second_name) {
    return lane_function(to_string(node.op), node.attributes.real("alpha", alpha),
                         node.attributes.real(second_name, second));
  };
  switch (node.op) {
    case Op::kLeakyRelu:
      return with(0.01F, 0, "beta");
    case Op::kElu:
      return with(1, 0, "beta");
    case Op::kSelu:
      return with(1.67326319217681884765625F, 1.05070102214813232421875F, "gamma");
    case Op::kHardSigmoid:
      return with(0.2F, 0.5F, "beta");
    case Op::kClip:
      return std::nullopt;
    default:
      return lane_function(to_string(node.op), 0, 0);
  }
}

}  // namespace weft::network
