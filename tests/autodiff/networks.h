// Small networks with random weights, and other helpers for tests of training.
#pragma once

#include <functional>
#include <string>

#include "compiler/autodiff/training_graph.h"
#include "tests/autodiff/gradient_check.h"

namespace weft::autodiff::testing {

/// Builds a network. Its weights are constants with the given names.
class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, Random& random) : builder_(std::move(name)), random_(random) {}

  Builder& builder() { return builder_; }
  ValueId input(const Shape& shape) { return builder_.input("x", {DataType::kFloat32, shape}); }
  /// Adds a constant with values uniform in [center - spread, center + spread].
  ValueId weights(const std::string& name, const Shape& shape, float spread = 0.5F,
                  float center = 0);
  ValueId add(Op op, const std::vector<ValueId>& inputs, const Attributes& attributes = {}) {
    return builder_.add(op, inputs, attributes);
  }
  ValueId number(float value) { return builder_.constant(Tensor::scalar(value)); }
  ValueId list(const std::vector<std::int64_t>& values) {
    return builder_.constant(Tensor::vector(values));
  }
  ValueId dense(ValueId x, std::int64_t width, const std::string& name);
  ValueId conv(ValueId x, std::int64_t channels, std::int64_t kernel, std::int64_t stride,
               const std::string& name);
  ValueId batch_norm(ValueId x, const std::string& name);
  ValueId layer_norm(ValueId x, const std::string& name);
  Graph finish(ValueId logits);

 private:
  Builder builder_;
  Random& random_;
};

/// Gemm, ReLU, Gemm: [batch, 6] to [batch, 3].
Graph perceptron(Random& random, std::int64_t batch = 4);
/// Convolution, max-pool, grouped convolution, average pool, fully connected.
Graph small_cnn(Random& random);
/// Two convolutions with batch normalization next to a third, strided one; global pool.
Graph residual_block(Random& random);
/// Embeddings, two heads of masked self-attention, GELU, layer normalizations, mean over tokens.
Graph attention_block(Random& random);
/// An LSTM of three steps, unrolled.
Graph unrolled_lstm(Random& random);

/// The initial parameters and statistics of a training graph, by name.
NamedTensors initial_inputs(const TrainingGraph& training);

/// The message of the InputError that `action` throws, or "no error".
std::string error_of(const std::function<void()>& action);

}  // namespace weft::autodiff::testing
