// Networks as they are trained: a network becomes a graph that takes its learnt constants as inputs
// and gives the loss and its gradients, made of operators like any other.
//
//     inputs --> network in training form --> logits --- LogSoftmax, targets ---> loss
//     learnt constants ----^        |                         |
//                                   v                         v
//     gradients <------------ backward nodes <--- (Softmax(logits) - targets) / batch
//
// A network is taken as it is written: with ONNX's own operators, before the passes that fuse
// (passes/optimize.h), batch normalisations apart, and recurrences unrolled
// (passes/decompose_recurrent.h). Gradients, too, are ONNX's operators alone, unfused, so that the
// result goes through those passes like any network. Nothing is computed that lies on no path from
// a learnt constant to the loss.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace weft::autodiff {

/// A constant of the network that training changes (graph/learned.h says which).
struct Learned {
  std::string name;       // of the training graph's input that holds it: the constant's name
  graph::ValueType type;  // float32
  graph::Constant initial;
  std::string gradient;  // output of the training graph, "gradient/" + name, of the same type
};

/// The running mean or variance of a batch normalisation.
struct Statistic {
  std::string name;       // input of the training graph: the constant's name
  graph::ValueType type;  // float32 [channels]
  graph::Constant initial;
  std::string updated;  // output of the training graph, "updated/" + name
};

struct TrainingGraph {
  graph::Graph graph;   // inputs: the network's, targets, each Learned and Statistic; outputs: the
                        // logits, the loss if asked for, gradients, updated statistics
  std::string targets;  // input, float32 [batch, classes]: rows that sum to 1, one-hot or soft
  std::string logits;   // output, float32 [batch, classes], under the network's output's own name
  std::string loss;     // output, float32 scalar; "" if not asked for
  std::vector<Learned> parameters;    // in the order of their first use
  std::vector<Statistic> statistics;  // likewise
};

struct TrainingOptions {
  float loss_scale = 1;  // times the gradients, not the loss: keeps fp16 gradients from vanishing
  bool loss_output = true;
};

/// `network`, float32 with one output [batch, classes] of logits, and the gradients of the mean
/// over the batch of softmax cross-entropy. A Softmax over the classes that makes the output is
/// part of the loss and left out, so that what has the output's name is its logits.
///
/// Batch normalisations use the batch's mean and (biased) variance, and
/// updated = momentum * running + (1 - momentum) * batch's, as ONNX has it.
///
/// Throws InputError, naming node and operator or the constant: another output; nothing learnt, or
/// something learnt that is not float32; an operator without gradient behind something learnt.
TrainingGraph training_graph(const graph::Graph& network, const TrainingOptions& options = {});

/// `network`, of which the constants named get new values. Throws InputError naming the constant:
/// no such constant, or a value of another type or shape.
graph::Graph with_values(const graph::Graph& network,
                         const std::map<std::string, graph::Tensor>& values);

/// `graph`, of which the inputs named become constants, those of the rest staying inputs. A
/// constant that is made on demand is made anew by each run, so that it may change between them.
/// Throws InputError naming the input: no such input, or a constant of another type or shape.
graph::Graph bind_inputs(graph::Graph graph, const std::map<std::string, graph::Constant>& values);

}  // namespace weft::autodiff
