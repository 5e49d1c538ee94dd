#include "models/reference/cpu/nn/activation.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "base/error.h"
#include "models/reference/cpu/nn/scalar_functions.h"

namespace weft::reference {
namespace {

struct ActivationEntry {
  std::string_view name;
  ActivationKind kind;
  int parameters;
  ActivationDefaults defaults;
};

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kHighest = std::numeric_limits<float>::max();

constexpr std::array kActivations = std::to_array<ActivationEntry>({
    {"Identity", ActivationKind::kIdentity, 0, {}},
    {"Relu", ActivationKind::kRelu, 0, {}},
    {"LeakyRelu", ActivationKind::kLeakyRelu, 1, kLeakyReluDefaults},
    {"Elu", ActivationKind::kElu, 1, kEluDefaults},
    {"Selu", ActivationKind::kSelu, 2, kSeluDefaults},
    {"Sigmoid", ActivationKind::kSigmoid, 0, {}},
    {"HardSigmoid", ActivationKind::kHardSigmoid, 2, kHardSigmoidDefaults},
    {"HardSwish", ActivationKind::kHardSwish, 0, {}},
    {"Tanh", ActivationKind::kTanh, 0, {}},
    {"Erf", ActivationKind::kErf, 0, {}},
    {"Softplus", ActivationKind::kSoftplus, 0, {}},
    {"Clip", ActivationKind::kClip, 2, {kLowest, kHighest}},
    {"Sqrt", ActivationKind::kSqrt, 0, {}},
    {"Exp", ActivationKind::kExp, 0, {}},
    {"Log", ActivationKind::kLog, 0, {}},
    {"Neg", ActivationKind::kNeg, 0, {}},
    {"Abs", ActivationKind::kAbs, 0, {}},
    {"Reciprocal", ActivationKind::kReciprocal, 0, {}},
    {"Affine", ActivationKind::kAffine, 2, {1, 0}},
    {"ThresholdedRelu", ActivationKind::kThresholdedRelu, 1, {1, 0}},
    {"ScaledTanh", ActivationKind::kScaledTanh, 2, {1, 1}},
    {"Softsign", ActivationKind::kSoftsign, 0, {}},
});

const ActivationEntry& entry_of(std::string_view name) {
  for (const ActivationEntry& entry : kActivations) {
    if (entry.name == name) return entry;
  }
  throw InputError(fmt::format("activation '{}': unknown", name));
}

/// Calls use(function) with the function of this kind, so that a loop inside `use` does not choose.
/// Does not call it for kIdentity.
template <class T, class Use>
void with_function(const ActivationFunction& function, Use use) {
  const T alpha = static_cast<T>(function.alpha);
  const T beta = static_cast<T>(function.beta);
  switch (function.kind) {
    case ActivationKind::kIdentity:
      return;
    case ActivationKind::kRelu:
      return use([](T x) { return relu(x); });
    case ActivationKind::kLeakyRelu:
      return use([=](T x) { return leaky_relu(x, alpha); });
    case ActivationKind::kElu:
      return use([=](T x) { return elu(x, alpha); });
    case ActivationKind::kSelu:
      return use([=](T x) { return selu(x, alpha, beta); });
    case ActivationKind::kSigmoid:
      return use([](T x) { return sigmoid(x); });
    case ActivationKind::kHardSigmoid:
      return use([=](T x) { return hard_sigmoid(x, alpha, beta); });
    case ActivationKind::kHardSwish:
      return use([](T x) { return hard_swish(x); });
    case ActivationKind::kTanh:
      return use([](T x) { return reference::tanh(x); });
    case ActivationKind::kErf:
      return use([](T x) { return reference::erf(x); });
    case ActivationKind::kSoftplus:
      return use([](T x) { return softplus(x); });
    case ActivationKind::kClip:
      return use([=](T x) { return clip(x, alpha, beta); });
    case ActivationKind::kSqrt:
      return use([](T x) { return reference::sqrt(x); });
    case ActivationKind::kExp:
      return use([](T x) { return reference::exp(x); });
    case ActivationKind::kLog:
      return use([](T x) { return reference::log(x); });
    case ActivationKind::kNeg:
      return use([](T x) { return neg(x); });
    case ActivationKind::kAbs:
      return use([](T x) { return reference::abs(x); });
    case ActivationKind::kReciprocal:
      return use([](T x) { return reciprocal(x); });
    case ActivationKind::kAffine:
      return use([=](T x) { return alpha * x + beta; });
    case ActivationKind::kThresholdedRelu:
      return use([=](T x) { return thresholded_relu(x, alpha); });
    case ActivationKind::kScaledTanh:
      return use([=](T x) { return alpha * reference::tanh(beta * x); });
    case ActivationKind::kSoftsign:
      return use([](T x) { return softsign(x); });
  }
}

}  // namespace

int activation_parameters(std::string_view name) {
  return entry_of(name).parameters;
}

ActivationFunction find_activation(std::string_view name, std::optional<float> alpha,
                                   std::optional<float> beta) {
  const ActivationEntry& entry = entry_of(name);
  return {entry.kind, alpha.value_or(entry.defaults.alpha), beta.value_or(entry.defaults.beta)};
}

template <class T>
void apply_activation(const ActivationFunction& function, std::span<T> elements) {
  with_function<T>(function, [&](auto of) {
    for (T& element : elements) element = of(element);
  });
}
template void apply_activation(const ActivationFunction&, std::span<float>);
template void apply_activation(const ActivationFunction&, std::span<double>);

void apply_activation(Tensor& tensor, std::string_view name, std::optional<float> alpha,
                      std::optional<float> beta) {
  const ActivationFunction function = find_activation(name, alpha, beta);
  if (tensor.type() == DataType::kFloat64) {
    apply_activation(function, tensor.mutable_data<double>());
  } else if (tensor.type() == DataType::kFloat32) {
    apply_activation(function, tensor.mutable_data<float>());
  } else {
    throw InputError(fmt::format("activation '{}': not defined for elements of {}", name,
                                 to_string(tensor.type())));
  }
}

ActivationFunction activation_of(const graph::Attributes& attributes) {
  const auto parameter = [&](std::string_view name) -> std::optional<float> {
    if (!attributes.has(name)) return std::nullopt;
    return attributes.real(name, 0);
  };
  const std::string name = attributes.text("activation", "Identity");
  return find_activation(name, parameter("activation_alpha"), parameter("activation_beta"));
}

}  // namespace weft::reference
