// Makes the training graph of a network. Its inputs include the learned constants; its outputs
// include the loss and the gradients. It consists of ordinary operators.
//
//     inputs --> network in training form --> logits --- LogSoftmax, targets ---> loss
//     learned constants ---^        |                         |
//                                   v                         v
//     gradients <------------ backward nodes <--- (Softmax(logits) - targets) / batch
//
// The network must contain only ONNX's own operators: the fusing passes (passes/optimize.h) have
// not run, batch normalizations are not folded, and recurrences are unrolled
// (passes/simplify/decompose_recurrent.h). The gradients use only ONNX's operators too, so the
// result can go through the same passes as any network. The backward half computes only gradients
// on a path from a learned constant to the loss.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::autodiff {

/// A constant of the network that training changes (graph/learned.h has the rule).
struct Learned {
  std::string name;       // input of the training graph: the constant's name
  graph::ValueType type;  // float32
  graph::Constant initial;
  std::string gradient;  // output of the training graph, "gradient/" + name, of the same type
};

/// The running mean or variance of a batch normalization.
struct Statistic {
  std::string name;       // input of the training graph: the constant's name
  graph::ValueType type;  // float32 [channels]
  graph::Constant initial;
  std::string updated;  // output of the training graph, "updated/" + name
};

struct TrainingGraph {
  graph::Graph graph;   // inputs: the network's inputs, targets, each Learned and Statistic;
                        // outputs: logits, loss if requested, gradients, updated statistics
  std::string targets;  // input, float32 [batch, classes]: rows that sum to 1, one-hot or soft
  std::string logits;   // output, float32 [batch, classes]: the name of the network's output
  std::string loss;     // output, float32 scalar; "" if not requested
  std::vector<Learned> parameters;    // in the order of their first use
  std::vector<Statistic> statistics;  // in the order of the nodes
};

struct TrainingOptions {
  float loss_scale = 1;  // factor of all gradients, not of the loss; prevents fp16 underflow
  bool loss_output = true;
};

/// A graph of `network` and the gradients of its loss, the mean softmax cross-entropy over the
/// batch. The network must be float32 and have one output, the logits [batch, classes]. If a
/// Softmax over the classes makes the output, the graph omits it, because the loss includes it. The
/// output then holds the logits.
///
/// Batch normalizations use the batch's mean and (biased) variance, and
/// updated = momentum * running + (1 - momentum) * batch, as in ONNX.
///
/// Throws InputError, with the node and operator or the constant, for any other output, for no
/// learned constant, for a learned constant that is not float32, or for an operator without a
/// gradient rule between a learned constant and the loss.
TrainingGraph training_graph(const graph::Graph& network, const TrainingOptions& options = {});

/// `network` with new values for the named constants. Throws InputError with the constant's name if
/// there is no such constant or if the value has another type or shape.
graph::Graph with_values(const graph::Graph& network,
                         const std::map<std::string, graph::Tensor>& values);

/// `graph` with the named inputs turned into constants. Each run makes a constant on demand again,
/// so its value may change between runs. Throws InputError with the input's name if there is no
/// such input or if the constant has another type or shape.
graph::Graph bind_inputs(graph::Graph graph, const std::map<std::string, graph::Constant>& values);

}  // namespace weft::autodiff
