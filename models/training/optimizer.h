// Optimisers as graphs: one step of SGD or Adam on every parameter, element by element in float32.
// What changes from step to step enters as a scalar, so that the graph is prepared once. Every
// operation rounds once, to nearest even, and stands in the order below; whatever runs the graph
// gives the same bits.
//
//   g = gradient * gradient_scale                     if gradients are scaled (loss_scale.h)
//   g = g + weight_decay * p                          sgd, adam; if not 0
//
//   sgd   v = momentum * v + g                        if momentum is not 0; v = g without
//         d = v, with Nesterov's momentum g + momentum * v
//         p = p - learning_rate * d
//
//   adam  p = p * decay                               adamw: decay = 1 - learning_rate *
//   weight_decay
//         m = beta1 * m + (1 - beta1) * g
//         v = beta2 * v + ((1 - beta2) * g) * g
//         p = p - (step_size * m) / (sqrt(v) * root_scale + epsilon)
//         step_size = learning_rate / (1 - beta1^t), root_scale = 1 / sqrt(1 - beta2^t), t = 1, 2,
//         ..
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

/// A tensor that the optimiser keeps for a parameter: zeros at first.
struct OptimizerState {
  std::string name;  // of the update graph's input: "velocity/P", "moment1/P" or "moment2/P"
  graph::ValueType type;
};

/// Inputs: each parameter P, its "gradient/P", the states, and the scalars that scalars() gives,
/// float32 of shape [1]. Outputs: "updated/" and the name of each parameter and state.
struct UpdateGraph {
  graph::Graph graph;
  std::vector<OptimizerState> states;
};

/// `scaled`: gradients are multiplied by the scalar "scalar/gradient_scale" first. Throws
/// InputError if a name is taken twice.
UpdateGraph update_graph(std::span<const autodiff::Learned> parameters,
                         const OptimizerOptions& options, bool scaled);

/// The scalars of update number `update`, counted from 1, by the input's name. `loss_scale` is what
/// the loss was multiplied by; 0 if gradients are not scaled.
std::map<std::string, graph::Tensor> scalars(const OptimizerOptions& options, std::uint64_t update,
                                             double loss_scale);

/// "updated/" + name.
std::string updated(std::string_view name);

}  // namespace weft::training
