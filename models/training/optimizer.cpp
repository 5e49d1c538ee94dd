#include "models/training/optimizer.h"

#include <array>
#include <cmath>
#include <utility>

#include "compiler/graph/builder/builder.h"

namespace weft::training {
namespace {

using graph::Op;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

constexpr std::array<std::string_view, 3> kMethods = {"sgd", "adam", "adamw"};
constexpr const char* kLearningRate = "scalar/learning_rate";
constexpr const char* kStepSize = "scalar/step_size";
constexpr const char* kRootScale = "scalar/root_scale";
constexpr const char* kDecay = "scalar/decay";
constexpr const char* kGradientScale = "scalar/gradient_scale";

class UpdateWriter {
 public:
  UpdateWriter(const OptimizerOptions& options, bool scaled)
      : options_(options), scaled_(scaled), builder_("update") {}

  UpdateGraph write(std::span<const autodiff::Learned> parameters) {
    for (const autodiff::Learned& parameter : parameters) {
      const ValueId p = builder_.input(parameter.name, parameter.type);
      const ValueId gradient = builder_.input(parameter.gradient, parameter.type);
      output(method(parameter, p, gradient), parameter.name);
    }
    result_.graph = builder_.finish();
    return std::move(result_);
  }

 private:
  ValueId method(const autodiff::Learned& parameter, ValueId p, ValueId gradient) {
    if (scaled_) gradient = mul(gradient, scalar(kGradientScale));
    if (options_.method == Method::kSgd) return sgd(parameter, p, gradient);
    return adam(parameter, p, gradient);
  }

  ValueId sgd(const autodiff::Learned& parameter, ValueId p, ValueId gradient) {
    ValueId direction = decayed(p, gradient);
    if (options_.momentum != 0) {
      const ValueId g = direction;
      const ValueId momentum = constant(options_.momentum);
      const ValueId velocity = add(mul(state("velocity/", parameter), momentum), g);
      output(velocity, "velocity/" + parameter.name);
      direction = options_.nesterov ? add(mul(velocity, momentum), g) : velocity;
    }
    return sub(p, mul(direction, scalar(kLearningRate)));
  }

  ValueId adam(const autodiff::Learned& parameter, ValueId p, ValueId gradient) {
    const bool decoupled = options_.method == Method::kAdamW && options_.weight_decay != 0;
    const ValueId g = decoupled ? gradient : decayed(p, gradient);
    const ValueId kept = decoupled ? mul(p, scalar(kDecay)) : p;
    const ValueId first = add(mul(state("moment1/", parameter), constant(options_.beta1)),
                              mul(g, constant(1 - options_.beta1)));
    const ValueId second = add(mul(state("moment2/", parameter), constant(options_.beta2)),
                               mul(mul(g, constant(1 - options_.beta2)), g));
    output(first, "moment1/" + parameter.name);
    output(second, "moment2/" + parameter.name);
    const ValueId root = mul(builder_.add(Op::kSqrt, {second}), scalar(kRootScale));
    const ValueId step = mul(first, scalar(kStepSize));
    return sub(kept, builder_.add(Op::kDiv, {step, add(root, constant(options_.epsilon))}));
  }

  /// The gradient plus weight decay, as if the loss contained the squared norm.
  ValueId decayed(ValueId p, ValueId gradient) {
    if (options_.weight_decay == 0) return gradient;
    return add(gradient, mul(p, constant(options_.weight_decay)));
  }

  ValueId state(std::string_view prefix, const autodiff::Learned& parameter) {
    std::string name = std::string(prefix) + parameter.name;
    const ValueId input = builder_.input(name, parameter.type);
    result_.states.push_back({std::move(name), parameter.type});
    return input;
  }

  void output(ValueId value, std::string_view name) { builder_.output(value, updated(name)); }

  /// Adds one input, however many parameters use it.
  ValueId scalar(const std::string& name) {
    const auto known = scalars_.find(name);
    if (known != scalars_.end()) return known->second;
    return scalars_[name] = builder_.input(name, {graph::DataType::kFloat32, {1}});
  }

  ValueId constant(double value) {
    const auto single = static_cast<float>(value);
    const auto known = constants_.find(single);
    if (known != constants_.end()) return known->second;
    return constants_[single] = builder_.constant(Tensor::scalar(single));
  }

  ValueId add(ValueId a, ValueId b) { return builder_.add(Op::kAdd, {a, b}); }
  ValueId sub(ValueId a, ValueId b) { return builder_.add(Op::kSub, {a, b}); }
  ValueId mul(ValueId a, ValueId b) { return builder_.add(Op::kMul, {a, b}); }

  const OptimizerOptions& options_;
  bool scaled_;
  graph::Builder builder_;
  UpdateGraph result_;
  std::map<std::string, ValueId> scalars_;
  std::map<float, ValueId> constants_;
};

/// Computed by squaring. It uses only products, so that it is the same on every platform.
double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1U, base *= base) {
    if ((exponent & 1U) != 0) result *= base;
  }
  return result;
}

}  // namespace

std::string_view to_string(Method method) {
  return kMethods[static_cast<std::size_t>(method)];
}

std::string updated(std::string_view name) {
  return "updated/" + std::string(name);
}

UpdateGraph update_graph(std::span<const autodiff::Learned> parameters,
                         const OptimizerOptions& options, bool scaled) {
  return UpdateWriter(options, scaled).write(parameters);
}

std::map<std::string, Tensor> scalars(const OptimizerOptions& options, std::uint64_t update,
                                      double loss_scale) {
  std::map<std::string, Tensor> result;
  const auto put = [&](const char* name, double value) {
    result.emplace(name, Tensor::vector<float>({static_cast<float>(value)}));
  };
  if (loss_scale != 0) put(kGradientScale, 1 / loss_scale);
  if (options.method == Method::kSgd) {
    put(kLearningRate, options.learning_rate);
    return result;
  }
  put(kStepSize, options.learning_rate / (1 - power(options.beta1, update)));
  put(kRootScale, 1 / std::sqrt(1 - power(options.beta2, update)));
  if (options.method == Method::kAdamW && options.weight_decay != 0) {
    put(kDecay, 1 - options.learning_rate * options.weight_decay);
  }
  return result;
}

}  // namespace weft::training
