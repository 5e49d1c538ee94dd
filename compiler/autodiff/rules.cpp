#include "compiler/autodiff/rules.h"

namespace weft::autodiff {

const RuleEntry& rule_of(Op op) {
  static const graph::OpArray<GradientRule> kRules(
      "gradients",
      {contraction_rules(), convolution_rules(), elementwise_rules(), broadcast_rules(),
       reduction_rules(), pool_rules(), normalization_rules(), movement_rules(), indexed_rules()});
  return kRules[op];
}

}  // namespace weft::autodiff
