// Unary operators chosen by name: the activation after a contraction (an extension, see
// compiler/graph/op.h) and the activations of the recurrent operators. The functions are in
// scalar_functions.h.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "models/reference/cpu/nn/node_call.h"
#include "models/reference/cpu/nn/scalar_functions.h"

namespace weft::reference {

/// Number of parameters of this activation: 0, 1 (alpha) or 2 (alpha and beta). Throws InputError
/// for an unknown name.
int activation_parameters(std::string_view name);
/// Missing parameters get ONNX's defaults. Throws InputError for an unknown name.
ActivationFunction find_activation(std::string_view name, std::optional<float> alpha,
                                   std::optional<float> beta);

/// x = function(x) for every element. T is float or double.
template <class T>
void apply_activation(const ActivationFunction& function, std::span<T> elements);

/// The same on a tensor of float32 or float64. Throws InputError for another type or an unknown
/// name.
void apply_activation(Tensor& tensor, std::string_view name, std::optional<float> alpha = {},
                      std::optional<float> beta = {});

/// The node's "activation" with "activation_alpha" and "activation_beta"; kIdentity if it has none.
ActivationFunction activation_of(const graph::Attributes& attributes);

}  // namespace weft::reference
