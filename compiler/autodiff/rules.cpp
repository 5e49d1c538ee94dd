#include "compiler/autodiff/rules.h"

#include "compiler/autodiff/normalization.h"

namespace weft::autodiff {

Rule rule_of(Op op) {
  switch (op) {
    case Op::kMatMul:
      return matmul_gradient;
    case Op::kGemm:
      return gemm_gradient;
    case Op::kRelu:
      return relu_gradient;
    case Op::kAdd:
      return add_gradient;
    case Op::kBatchNormalization:
    case Op::kInstanceNormalization:
    case Op::kLayerNormalization:
      return normalization_gradient;
    default:
      return nullptr;
  }
}

}  // namespace weft::autodiff
