// The unary operator that a contraction applies last, as plain data for both the CPU reference and
// the CUDA backend's kernels.
#pragma once

#include <cstdint>

namespace weft::reference {

enum class ActivationKind : std::uint8_t {
  kIdentity,
  kRelu,
  kLeakyRelu,
  kElu,
  kSelu,
  kSigmoid,
  kHardSigmoid,
  kHardSwish,
  kTanh,
  kErf,
  kSoftplus,
  kClip,
  kSqrt,
  kExp,
  kLog,
  kNeg,
  kAbs,
  kReciprocal,
  kAffine,           // alpha * x + beta
  kThresholdedRelu,  // x above alpha, else 0
  kScaledTanh,       // alpha * tanh(beta * x)
  kSoftsign,
};

/// An activation with its parameters. Clip: alpha is the lower and beta the upper bound. Selu: beta
/// is gamma.
struct ActivationFunction {
  ActivationKind kind = ActivationKind::kIdentity;
  float alpha = 0;
  float beta = 0;
};

}  // namespace weft::reference
