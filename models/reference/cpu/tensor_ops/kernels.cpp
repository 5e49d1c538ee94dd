#include "models/reference/cpu/tensor_ops/kernels.h"

#include <array>

namespace weft::reference::tensor_ops {
namespace {

using graph::Op;

struct Entry {
  Op op;
  Kernel kernel;
};

constexpr std::array kKernels = std::to_array<Entry>({
    {Op::kRelu, evaluate_unary},
    {Op::kLeakyRelu, evaluate_unary},
    {Op::kElu, evaluate_unary},
    {Op::kSelu, evaluate_unary},
    {Op::kSigmoid, evaluate_unary},
    {Op::kHardSigmoid, evaluate_unary},
    {Op::kHardSwish, evaluate_unary},
    {Op::kTanh, evaluate_unary},
    {Op::kErf, evaluate_unary},
    {Op::kSoftplus, evaluate_unary},
    {Op::kSqrt, evaluate_unary},
    {Op::kExp, evaluate_unary},
    {Op::kLog, evaluate_unary},
    {Op::kNeg, evaluate_unary},
    {Op::kAbs, evaluate_unary},
    {Op::kReciprocal, evaluate_unary},
    {Op::kClip, evaluate_clip},
    {Op::kCast, evaluate_cast},
    {Op::kAdd, evaluate_arithmetic},
    {Op::kSub, evaluate_arithmetic},
    {Op::kMul, evaluate_arithmetic},
    {Op::kDiv, evaluate_arithmetic},
    {Op::kMin, evaluate_arithmetic},
    {Op::kMax, evaluate_arithmetic},
    {Op::kMean, evaluate_arithmetic},
    {Op::kSum, evaluate_arithmetic},
    {Op::kPRelu, evaluate_prelu},
    {Op::kPow, evaluate_pow},
    {Op::kEqual, evaluate_logic},
    {Op::kLess, evaluate_logic},
    {Op::kGreater, evaluate_logic},
    {Op::kAnd, evaluate_logic},
    {Op::kOr, evaluate_logic},
    {Op::kNot, evaluate_logic},
    {Op::kWhere, evaluate_where},
    {Op::kSoftmax, evaluate_softmax},
    {Op::kLogSoftmax, evaluate_softmax},
    {Op::kReduceMean, evaluate_reduce},
    {Op::kReduceSum, evaluate_reduce},
    {Op::kReduceMax, evaluate_reduce},
    {Op::kReduceMin, evaluate_reduce},
    {Op::kArgMax, evaluate_arg_max},
    {Op::kIdentity, evaluate_reshape},
    {Op::kReshape, evaluate_reshape},
    {Op::kFlatten, evaluate_reshape},
    {Op::kSqueeze, evaluate_reshape},
    {Op::kUnsqueeze, evaluate_reshape},
    {Op::kDropout, evaluate_dropout},
    {Op::kShape, evaluate_shape},
    {Op::kConstantOfShape, evaluate_constant_of_shape},
    {Op::kRange, evaluate_range},
    {Op::kConcat, evaluate_concat},
    {Op::kSplit, evaluate_split},
    {Op::kGather, evaluate_gather},
    {Op::kSlice, evaluate_slice},
    {Op::kTranspose, evaluate_transpose},
    {Op::kExpand, evaluate_expand},
    {Op::kTile, evaluate_tile},
    {Op::kPad, evaluate_pad},
});

}  // namespace

Kernel find_kernel(Op op) {
  for (const Entry& entry : kKernels) {
    if (entry.op == op) return entry.kernel;
  }
  return nullptr;
}

}  // namespace weft::reference::tensor_ops
