#include "models/reference/cpu/nn/activation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "compiler/graph/operator_table.h"

namespace weft::reference {
namespace {

/// The number of parameters, and their defaults.
struct ActivationDefaults {
  int count = 0;
  std::array<float, 2> defaults = {};
};

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kHighest = std::numeric_limits<float>::max();

ActivationDefaults parameters_of(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::kClip:  // as an operator, it has inputs instead
      return {2, {kLowest, kHighest}};
    case ActivationKind::kAffine:  // this and the following are no operators here
      return {2, {1, 0}};
    case ActivationKind::kThresholdedRelu:
      return {1, {1, 0}};
    case ActivationKind::kScaledTanh:
      return {2, {1, 1}};
    case ActivationKind::kSoftsign:
    case ActivationKind::kIdentity:
      return {};
    default:
      const auto name = kActivationNames.at(static_cast<std::size_t>(kind));
      const graph::Op op = graph::op_from_string(name).value();
      return {static_cast<int>(graph::operator_of(op).parameters.size()),
              graph::parameters_of(op, {})};
  }
}

ActivationKind kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(kActivationNames, name);
  if (found != kActivationNames.end()) {
    return static_cast<ActivationKind>(found - kActivationNames.begin());
  }
  throw InputError(fmt::format("activation '{}': unknown", name));
}

/// Calls use(constant) with the kind as an integral_constant.
template <class Use, std::size_t... kKind>
void with_kind(ActivationKind kind, Use use, std::index_sequence<kKind...>) {
  const auto at = static_cast<std::size_t>(kind);
  ((at == kKind ? use(std::integral_constant<ActivationKind, static_cast<ActivationKind>(kKind)>{})
                : void()),
   ...);
}

}  // namespace

int activation_parameters(std::string_view name) {
  return parameters_of(kind_of(name)).count;
}

ActivationFunction find_activation(std::string_view name, std::optional<float> alpha,
                                   std::optional<float> beta) {
  const ActivationKind kind = kind_of(name);
  const auto [otherwise_alpha, otherwise_beta] = parameters_of(kind).defaults;
  return {kind, alpha.value_or(otherwise_alpha), beta.value_or(otherwise_beta)};
}

template <class T>
void apply_activation(const ActivationFunction& function, std::span<T> elements) {
  const T alpha = static_cast<T>(function.alpha);
  const T beta = static_cast<T>(function.beta);
  with_kind(
      function.kind,
      [&](auto kind) {
        for (T& element : elements) element = activated(kind(), element, alpha, beta);
      },
      std::make_index_sequence<kActivationNames.size()>());
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
