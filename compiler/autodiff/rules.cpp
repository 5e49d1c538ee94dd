#include "compiler/autodiff/rules.h"

#include <algorithm>
#include <array>

#include "compiler/autodiff/normalization.h"

namespace weft::autodiff {
namespace {

struct Entry {
  Op op;
  Rule rule;
};

constexpr auto kRules = std::to_array<Entry>({
    {Op::kMatMul, matmul_gradient},
    {Op::kGemm, gemm_gradient},
    {Op::kConv, conv_gradient},
    {Op::kConvTranspose, conv_transpose_gradient},
    {Op::kRelu, relu_gradient},
    {Op::kLeakyRelu, leaky_relu_gradient},
    {Op::kPRelu, prelu_gradient},
    {Op::kElu, elu_gradient},
    {Op::kSelu, selu_gradient},
    {Op::kSigmoid, sigmoid_gradient},
    {Op::kHardSigmoid, hard_sigmoid_gradient},
    {Op::kHardSwish, hard_swish_gradient},
    {Op::kTanh, tanh_gradient},
    {Op::kErf, erf_gradient},
    {Op::kSoftplus, softplus_gradient},
    {Op::kClip, clip_gradient},
    {Op::kSqrt, sqrt_gradient},
    {Op::kExp, exp_gradient},
    {Op::kLog, log_gradient},
    {Op::kNeg, neg_gradient},
    {Op::kAbs, abs_gradient},
    {Op::kReciprocal, reciprocal_gradient},
    {Op::kIdentity, identity_gradient},
    {Op::kDropout, identity_gradient},
    {Op::kCast, cast_gradient},
    {Op::kAdd, add_gradient},
    {Op::kSum, add_gradient},
    {Op::kMean, mean_gradient},
    {Op::kSub, sub_gradient},
    {Op::kMul, mul_gradient},
    {Op::kDiv, div_gradient},
    {Op::kPow, pow_gradient},
    {Op::kMin, extreme_gradient},
    {Op::kMax, extreme_gradient},
    {Op::kWhere, where_gradient},
    {Op::kSoftmax, softmax_gradient},
    {Op::kLogSoftmax, log_softmax_gradient},
    {Op::kReduceSum, reduce_sum_gradient},
    {Op::kReduceMean, reduce_mean_gradient},
    {Op::kReduceMax, reduce_extreme_gradient},
    {Op::kReduceMin, reduce_extreme_gradient},
    {Op::kMaxPool, max_pool_gradient},
    {Op::kAveragePool, average_pool_gradient},
    {Op::kGlobalAveragePool, global_average_pool_gradient},
    {Op::kGlobalMaxPool, global_max_pool_gradient},
    {Op::kBatchNormalization, normalization_gradient},
    {Op::kInstanceNormalization, normalization_gradient},
    {Op::kLayerNormalization, normalization_gradient},
    {Op::kReshape, reshape_gradient},
    {Op::kFlatten, reshape_gradient},
    {Op::kSqueeze, reshape_gradient},
    {Op::kUnsqueeze, reshape_gradient},
    {Op::kTranspose, transpose_gradient},
    {Op::kConcat, concat_gradient},
    {Op::kSplit, split_gradient},
    {Op::kSlice, slice_gradient},
    {Op::kGather, gather_gradient},
    {Op::kExpand, expand_gradient},
    {Op::kTile, tile_gradient},
    {Op::kPad, pad_gradient},
});

}  // namespace

Rule rule_of(Op op) {
  const auto* const entry = std::ranges::find(kRules, op, &Entry::op);
  return entry == kRules.end() ? nullptr : entry->rule;
}

}  // namespace weft::autodiff
