// Optimizers as graphs: one step of SGD or Adam on every parameter, element by element in float32.
// Values that change from step to step are scalar inputs, so that the graph is prepared once. Every
// operation rounds once, to nearest even, in the order below. So every backend gives the same bits.
//
//   g = gradient * gradient_scale                     if gradients are scaled (loss_scale.h)
//   g = g + weight_decay * p                          sgd, adam; if weight_decay is not 0
//
//   sgd   v = momentum * v + g                        if momentum is not 0, else v = g
//         d = v, or with Nesterov's momentum d = g + momentum * v
//         p = p - learning_rate * d
//
//   adam  p = p * decay                  adamw only: decay = 1 - learning_rate * weight_decay
//         m = beta1 * m + (1 - beta1) * g
//         v = beta2 * v + ((1 - beta2) * g) * g
//         p = p - (step_size * m) / (sqrt(v) * root_scale + epsilon)
//         step_size = learning_rate / (1 - beta1^t)   in update t = 1, 2, ...
//         root_scale = 1 / sqrt(1 - beta2^t)
//
// Sources: Sutskever et al., On the importance of initialization and momentum in deep learning,
// 2013; Kingma and Ba, Adam, 2015; Loshchilov and Hutter, Decoupled Weight Decay Regularization,
// 2019. Momentum, weight decay and Nesterov's form are as in PyTorch's torch.optim.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/autodiff/training_graph.h"
#include "compiler/graph/graph.h"

namespace weft::training {

enum class Method : std::uint8_t { kSgd, kAdam, kAdamW };

/// "sgd", "adam" or "adamw".
std::string_view to_string(Method method);

struct OptimizerOptions {
  Method method = Method::kSgd;
  double learning_rate = 0.1;
  double momentum = 0;  // sgd
  bool nesterov = false;
  double weight_decay = 0;
  double beta1 = 0.9;  // adam, adamw
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// A tensor that the optimizer keeps for a parameter; zeros at first.
struct OptimizerState {
  std::string name;  // of the update graph's input: "velocity/P", "moment1/P" or "moment2/P"
  graph::ValueType type;
};

/// Inputs: each parameter P, its "gradient/P", the states, and the scalars from scalars(), float32
/// of shape [1]. Outputs: "updated/NAME" for each parameter and state.
struct UpdateGraph {
  graph::Graph graph;
  std::vector<OptimizerState> states;
};

/// With `scaled`, gradients are first multiplied by the scalar "scalar/gradient_scale". Throws
/// InputError if a name is used twice.
UpdateGraph update_graph(std::span<const autodiff::Learned> parameters,
                         const OptimizerOptions& options, bool scaled);

/// The scalars of update number `update`, counted from 1, by the input's name. `loss_scale` is the
/// factor of the loss; 0 if gradients are not scaled.
std::map<std::string, graph::Tensor> scalars(const OptimizerOptions& options, std::uint64_t update,
                                             double loss_scale);

/// "updated/" + name.
std::string updated(std::string_view name);

}  // namespace weft::training
