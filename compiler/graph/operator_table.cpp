#include "compiler/graph/operator_table.h"

namespace weft::graph {
namespace {

using enum Trait;
constexpr Traits kNone;

// What follows the signature in a row begins with the traits.
#define WEFT_OPERATOR(op, name, signature, ...) Operator{.traits = __VA_ARGS__},
constexpr std::array kOperators = std::to_array<Operator>({
#include "compiler/graph/operators.inc"
});
#undef WEFT_OPERATOR

}  // namespace

const Operator& operator_of(Op op) {
  return kOperators.at(static_cast<std::size_t>(op));
}

std::vector<Op> operators_with(Trait trait) {
  std::vector<Op> result;
  for (std::size_t i = 0; i < kOpCount; ++i) {
    if (kOperators.at(i).traits.has(trait)) result.push_back(static_cast<Op>(i));
  }
  return result;
}

std::array<float, 2> parameters_of(Op op, const Attributes& attributes) {
  std::array<float, 2> result = {};
  const auto& parameters = operator_of(op).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.at(i) = attributes.real(parameters[i].attribute, parameters[i].otherwise);
  }
  return result;
}

}  // namespace weft::graph
