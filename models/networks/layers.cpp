#include "models/networks/layers.h"

#include <cmath>

#include "models/counter_random.h"

namespace weft::networks {

using graph::Attributes;
using graph::Constant;
using graph::DataType;
using graph::Tensor;
using graph::ValueType;

Uniform weights_for(std::int64_t inputs, Gain gain) {
  // A uniform distribution over +-s has variance s^2 / 3.
  return {0, std::sqrt(3.0F * static_cast<float>(gain) / static_cast<float>(inputs))};
}

ValueId Layers::input(std::string name, DataType type, Shape shape) {
  return builder_.input(std::move(name), {type, std::move(shape)});
}

ValueId Layers::parameter(std::string name, Shape shape, Uniform values) {
  const ValueType type{DataType::kFloat32, std::move(shape)};
  const CounterRandom random(seed_, parameters_++);
  const auto make = [type, random, values] {
    Tensor tensor(type);
    random.fill(tensor.mutable_data<float>(), values.center, values.spread);
    return tensor;
  };
  return builder_.constant(Constant(type, make), std::move(name));
}

ValueId Layers::integers(const Ints& values) {
  return builder_.constant(Tensor::vector(values));
}

ValueId Layers::scalar(float value) {
  return builder_.constant(Tensor::scalar(value));
}

ValueId Layers::add(Op op, std::vector<ValueId> inputs, Attributes attributes, std::string name) {
  return builder_.add(op, std::move(inputs), std::move(attributes), std::move(name));
}

std::vector<ValueId> Layers::split(ValueId x, std::int64_t axis, const Ints& sizes,
                                   std::string name) {
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < sizes.size(); ++i) outputs.push_back(name + "." + std::to_string(i));
  return builder_.add(Op::kSplit, {x, integers(sizes)}, {{"axis", axis}}, std::move(name), outputs);
}

ValueId Layers::conv(ValueId x, const ConvOptions& options, const std::string& name) {
  const auto& [channels, kernel, stride, padding, groups, bias, gain] = options;
  const std::int64_t depth = extent(x, 1) / groups;
  std::vector<ValueId> inputs = {x, parameter(name + ".weight", {channels, depth, kernel, kernel},
                                              weights_for(depth * kernel * kernel, gain))};
  if (bias) inputs.push_back(parameter(name + ".bias", {channels}, kBias));
  return add(Op::kConv, std::move(inputs),
             {{"kernel_shape", Ints{kernel, kernel}},
              {"strides", Ints{stride, stride}},
              {"pads", Ints{padding, padding, padding, padding}},
              {"dilations", Ints{1, 1}},
              {"group", groups}},
             name);
}

ValueId Layers::batch_norm(ValueId x, const std::string& name, Uniform scale) {
  const Shape shape{extent(x, 1)};
  const ValueId weight = parameter(name + ".weight", shape, scale);
  const ValueId bias = parameter(name + ".bias", shape, {0, 0.1F});
  const ValueId mean = parameter(name + ".running_mean", shape, {0, 0.1F});
  const ValueId variance = parameter(name + ".running_var", shape, {1, 0.2F});
  return add(Op::kBatchNormalization, {x, weight, bias, mean, variance}, {{"epsilon", 1e-5F}},
             name);
}

ValueId Layers::pool(Op op, ValueId x, const PoolOptions& options, std::string name) {
  const auto& [kernel, stride, padding] = options;
  return add(op, {x},
             {{"kernel_shape", Ints{kernel, kernel}},
              {"strides", Ints{stride, stride}},
              {"pads", Ints{padding, padding, padding, padding}}},
             std::move(name));
}

ValueId Layers::gemm(ValueId x, std::int64_t outputs, const std::string& name, Gain gain) {
  const std::int64_t inputs = extent(x, 1);
  const ValueId weight = parameter(name + ".weight", {outputs, inputs}, weights_for(inputs, gain));
  const ValueId bias = parameter(name + ".bias", {outputs}, kBias);
  return add(Op::kGemm, {x, weight, bias}, {{"transB", std::int64_t{1}}}, name);
}

ValueId Layers::dense(ValueId x, std::int64_t outputs, const std::string& name) {
  const std::int64_t inputs = shape(x).back();
  const ValueId weight =
      parameter(name + ".weight", {inputs, outputs}, weights_for(inputs, Gain::kLinear));
  const ValueId bias = parameter(name + ".bias", {outputs}, kBias);
  const ValueId product = add(Op::kMatMul, {x, weight}, {}, name + ".matmul");
  return add(Op::kAdd, {bias, product}, {}, name + ".add");
}

ValueId Layers::layer_norm(ValueId x, float epsilon, const std::string& name) {
  const Shape normalized{shape(x).back()};
  const ValueId weight = parameter(name + ".weight", normalized, kScale);
  const ValueId bias = parameter(name + ".bias", normalized, {0, 0.1F});
  return add(Op::kLayerNormalization, {x, weight, bias},
             {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}}, name);
}

ValueId Layers::relu6(ValueId x, std::string name) {
  return add(Op::kClip, {x, scalar(0), scalar(6)}, {}, std::move(name));
}

ValueId Layers::reshape(ValueId x, const Ints& shape, std::string name) {
  return add(Op::kReshape, {x, integers(shape)}, {}, std::move(name));
}

ValueId Layers::transpose(ValueId x, const Ints& permutation, std::string name) {
  return add(Op::kTranspose, {x}, {{"perm", permutation}}, std::move(name));
}

ValueId Layers::flatten(ValueId x, std::string name) {
  return add(Op::kFlatten, {x}, {{"axis", std::int64_t{1}}}, std::move(name));
}

ValueId Layers::take(ValueId x, std::int64_t index, std::int64_t axis, std::string name) {
  return add(Op::kGather, {x, constant(Tensor::scalar(index))}, {{"axis", axis}}, std::move(name));
}

graph::Graph Layers::finish(ValueId value, std::string name) {
  output(value, std::move(name));
  return finish();
}

}  // namespace weft::networks
