// The building blocks of the built-in networks: a graph builder that also draws weights. Each
// parameter has a separate random stream (models/counter_random.h), numbered in construction order,
// and is uniform around a center. The spreads keep activations at the same size through any depth,
// and give bf16 and int8 something to round:
//
//   weights     variance gain / inputs of a neuron: gain 2 where a ReLU follows, which halves the
//               second moment (He et al. 2015), else 1
//   biases      +-0.05
//   normalized  scale 1 +- 0.1, bias and mean +-0.1, variance 1 +- 0.2: near identity, not identity
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "models/networks/networks.h"

namespace weft::networks {

using graph::Op;
using graph::Shape;
using graph::ValueId;
using Ints = std::vector<std::int64_t>;

/// Uniform in [center - spread, center + spread).
struct Uniform {
  float center = 0;
  float spread = 0;
};

inline constexpr Uniform kBias{0, 0.05F};
inline constexpr Uniform kScale{1, 0.1F};
/// Scale of the last normalization in a branch. It is small, so that the sum of shortcut and branch
/// stays about as large as the shortcut, however many blocks follow.
inline constexpr Uniform kBranchScale{0.25F, 0.025F};

/// The variance of a layer's weights depends on the operator that follows.
enum class Gain : std::uint8_t { kLinear = 1, kRelu = 2 };

/// Weights of a neuron with `inputs` inputs: variance gain / inputs.
Uniform weights_for(std::int64_t inputs, Gain gain);

struct ConvOptions {
  std::int64_t channels = 1;  // of the output
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
  bool bias = true;
  Gain gain = Gain::kRelu;
};

struct PoolOptions {
  std::int64_t kernel = 2;
  std::int64_t stride = 2;
  std::int64_t padding = 0;
};

class Layers {
 public:
  Layers(std::string name, std::uint64_t seed) : builder_(std::move(name)), seed_(seed) {}

  ValueId input(std::string name, graph::DataType type, Shape shape);
  /// A float32 constant whose elements are drawn on demand.
  ValueId parameter(std::string name, Shape shape, Uniform values);
  /// An int64 constant of rank 1: a shape, axes or indices.
  ValueId integers(const Ints& values);
  /// A float32 scalar.
  ValueId scalar(float value);
  ValueId constant(graph::Constant constant) { return builder_.constant(std::move(constant)); }

  /// A node with one output.
  ValueId add(Op op, std::vector<ValueId> inputs, graph::Attributes attributes = {},
              std::string name = "");
  std::vector<ValueId> split(ValueId x, std::int64_t axis, const Ints& sizes, std::string name);

  /// Conv on x [N,C,H,W].
  ValueId conv(ValueId x, const ConvOptions& options, const std::string& name);
  /// `scale` is the distribution of the scale parameter.
  ValueId batch_norm(ValueId x, const std::string& name, Uniform scale = kScale);
  ValueId pool(Op op, ValueId x, const PoolOptions& options, std::string name);
  /// Gemm on x [M,K] with weights [outputs,K], as exporters write a fully connected layer.
  ValueId gemm(ValueId x, std::int64_t outputs, const std::string& name, Gain gain);
  /// MatMul with weights [K,outputs], then Add of the bias, as exporters write it for x [...,K].
  ValueId dense(ValueId x, std::int64_t outputs, const std::string& name);
  ValueId layer_norm(ValueId x, float epsilon, const std::string& name);
  ValueId relu(ValueId x, std::string name) { return add(Op::kRelu, {x}, {}, std::move(name)); }
  /// Clip to [0, 6].
  ValueId relu6(ValueId x, std::string name);
  ValueId reshape(ValueId x, const Ints& shape, std::string name);
  ValueId transpose(ValueId x, const Ints& permutation, std::string name);
  ValueId flatten(ValueId x, std::string name = "flatten");
  /// Selects position `index` along `axis` and removes that axis.
  ValueId take(ValueId x, std::int64_t index, std::int64_t axis, std::string name);

  Shape shape(ValueId value) const { return builder_.type(value).shape; }
  /// Extent `i` of `value`.
  std::int64_t extent(ValueId value, std::size_t i) const { return shape(value).at(i); }

  void output(ValueId value, std::string name) { builder_.output(value, std::move(name)); }
  /// Returns the graph; the object must not be used afterwards. The second form names the only
  /// output.
  graph::Graph finish() { return builder_.finish(); }
  graph::Graph finish(ValueId value, std::string name);

 private:
  graph::Builder builder_;
  std::uint64_t seed_;
  std::uint64_t parameters_ = 0;
};

}  // namespace weft::networks
