#include "compiler/segments/steps/merge_steps.h"

#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace weft::compiler {
namespace {

/// x - c is x + (-c) in every bit.
MakeTensor negated(MakeTensor make) {
  return [make = std::move(make)] {
    graph::Tensor tensor = make();
    for (float& element : tensor.mutable_data<float>()) element = -element;
    return tensor;
  };
}

/// k if the step multiplies by 2^k and does nothing else.
std::optional<int> exponent_of(const LaneStep& step) {
  const bool scales = step.combine == VectorCombine::kMul || step.combine == VectorCombine::kDiv;
  if (!scales || !step.number || step.bias || step.op != VectorOp::kCopy) return std::nullopt;
  if (!std::isnormal(*step.number)) return std::nullopt;
  int exponent = 0;
  if (std::frexp(*step.number, &exponent) != 0.5F) return std::nullopt;
  return step.combine == VectorCombine::kMul ? exponent - 1 : 1 - exponent;
}

/// Multiplies the scale by 2^k, which is exact. Returns false, and changes nothing, if one of the
/// two scales is outside [2^-100, 2^100]. Between these bounds no bit of a layer changes:
///
/// Operand: x = (q - zero) * scale is rounded once. It is 0 or between 2^-100 and 2^108, and so is
/// x * 2^k, so the factor is exact and may come before the rounding.
///
/// Result: y = x * 2^k is exact while it is a normal number. Then y / s and x / (s * 2^-k) are the
/// same real number, which is rounded once. If y overflows, |x| * 2^k is at least 2^127, and both
/// quotients are so large that they saturate. If y is below the normal numbers, |y| is at most
/// 2^-126, and both quotients are below 2^-25, which gives the zero point.
bool scale_by(Quantization& quantization, int k) {
  const auto fits = [](float scale) { return scale >= 0x1p-100F && scale <= 0x1p100F; };
  const auto scale = std::bit_cast<float>(quantization.scale);
  const float scaled = std::ldexp(scale, k);
  if (!fits(scale) || !fits(scaled)) return false;
  quantization.scale = std::bit_cast<std::uint32_t>(scaled);
  return true;
}

}  // namespace

bool only_shifts(const LaneStep& step) {
  const bool adds = step.combine == VectorCombine::kAdd || step.combine == VectorCombine::kSub;
  return adds && std::holds_alternative<MakeTensor>(step.b) && step.b_rows == 1 && !step.bias &&
         step.op == VectorOp::kCopy;
}

void add_step(std::vector<LaneStep>& steps, LaneStep step) {
  if (steps.empty() || !only_shifts(steps.back()) || step.combine == VectorCombine::kNone) {
    steps.push_back(std::move(step));
    return;
  }
  LaneStep& shift = steps.back();
  MakeTensor& addend = std::get<MakeTensor>(shift.b);
  step.bias = shift.combine == VectorCombine::kSub ? negated(addend) : addend;
  shift = std::move(step);
}

void fold_first_steps(std::vector<LaneStep>& steps, std::size_t least, Quantization& operand) {
  while (steps.size() > least) {
    const auto exponent = exponent_of(steps.front());
    if (!exponent || !scale_by(operand, *exponent)) return;
    steps.erase(steps.begin());
  }
}

void fold_last_steps(std::vector<LaneStep>& steps, Quantization& result) {
  while (steps.size() > 1) {
    const auto exponent = exponent_of(steps.back());
    if (!exponent || !scale_by(result, -*exponent)) return;
    steps.pop_back();
  }
}

}  // namespace weft::compiler
