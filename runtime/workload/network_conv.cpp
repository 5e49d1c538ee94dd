#include "runtime/workload/network_conv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"
#include "compiler/graph/builder/builder.h"
#include "models/counter_random.h"

namespace weft::runtime {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::Constant;
using graph::DataType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

/// Random streams that no input uses (models/networks/sample_inputs.cpp).
enum DrawStream : std::uint64_t { kWeights = 1, kBias = 2 };

constexpr double kSumDeviation = 4;

constexpr std::array<std::string_view, 3> kTapPackings = {"best", "packed", "apart"};

/// Draws each element from -1 to 1 times `spread`; rounds it if T is an integer.
template <class T>
Constant drawn(const Shape& shape, std::uint64_t seed, DrawStream stream, double spread) {
  const auto make = [=] {
    Tensor tensor(graph::data_type_of<T>(), shape);
    const CounterRandom random(seed, stream);
    std::uint64_t i = 0;
    for (T& value : tensor.mutable_data<T>()) {
      const double draw = spread * double{random.symmetric(i++)};
      value = static_cast<T>(std::is_integral_v<T> ? std::round(draw) : draw);
    }
    return tensor;
  };
  return {{graph::data_type_of<T>(), shape}, make};
}

Attributes attributes(const ConvSpec& spec) {
  const auto list = [](const auto& values) {
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  Attributes all = {{"kernel_shape", list(spec.kernel)},
                    {"strides", list(spec.strides)},
                    {"dilations", list(spec.dilations)},
                    {"group", spec.groups}};
  if (spec.pads) {
    all.set("pads", list(*spec.pads));
  } else {
    all.set("auto_pad", std::string("SAME_UPPER"));
  }
  if (spec.activation == Activation::kRelu) all.set("activation", std::string("Relu"));
  if (spec.activation == Activation::kRelu6) {
    all.set("activation", std::string("Clip"));
    all.set("activation_alpha", 0.0F);
    all.set("activation_beta", 6.0F);
  }
  return all;
}

/// Scales with which an int8 convolution computes in the same real numbers as the float one: inputs
/// of variance 1, weights up to `weight_spread`.
struct Scales {
  float x = 1;
  float w = 1;
  float y = 1;
  std::int8_t y_zero = 0;
};

Scales scales_of(const ConvSpec& spec, double weight_spread) {
  // Uniform bytes have a standard deviation of 256 / sqrt(12).
  Scales scales{static_cast<float>(std::sqrt(12.0) / 256), static_cast<float>(weight_spread / 127),
                static_cast<float>(3 * kSumDeviation / 127), 0};
  if (spec.activation == Activation::kNone) return scales;
  const double high = spec.activation == Activation::kRelu6 ? 6 : 3 * kSumDeviation;
  scales.y = static_cast<float>(high / 255);
  scales.y_zero = std::numeric_limits<std::int8_t>::min();
  return scales;
}

/// Builds the float or the int8 node for one specification.
class ConvBuilder {
 public:
  ConvBuilder(const ConvSpec& spec, std::uint64_t seed)
      : spec_(spec), seed_(seed), builder_("conv") {
    weight_shape_ = {spec.filters, spec.input[1] / spec.groups, spec.kernel[0], spec.kernel[1]};
    const double terms = static_cast<double>(weight_shape_[1]) *
                         static_cast<double>(spec.kernel[0]) * static_cast<double>(spec.kernel[1]);
    weight_spread_ = kSumDeviation * std::sqrt(3 / terms);  // uniform: variance spread^2 / 3
  }

  graph::Graph floats() {
    const ValueId x = builder_.input("x", {DataType::kFloat32, spec_.input});
    std::vector<ValueId> inputs = {
        x, builder_.constant(drawn<float>(weight_shape_, seed_, kWeights, weight_spread_), "w")};
    if (spec_.bias) {
      inputs.push_back(builder_.constant(drawn<float>({spec_.filters}, seed_, kBias, 1), "b"));
    }
    return finish(graph::Op::kConv, std::move(inputs));
  }

  graph::Graph integers() {
    const Scales scales = scales_of(spec_, weight_spread_);
    const ValueId x = builder_.input("x", {DataType::kInt8, spec_.input});
    const ValueId w =
        builder_.constant(drawn<std::int8_t>(weight_shape_, seed_, kWeights, 127), "w");
    std::vector<ValueId> inputs = {x,
                                   scalar(scales.x, "x_scale"),
                                   scalar<std::int8_t>(0, "x_zero"),
                                   w,
                                   scalar(scales.w, "w_scale"),
                                   scalar<std::int8_t>(0, "w_zero"),
                                   scalar(scales.y, "y_scale"),
                                   scalar(scales.y_zero, "y_zero")};
    if (spec_.bias) {
      const double one = 1 / (double{scales.x} * double{scales.w});
      inputs.push_back(
          builder_.constant(drawn<std::int32_t>({spec_.filters}, seed_, kBias, one), "b"));
    }
    return finish(graph::Op::kQLinearConv, std::move(inputs));
  }

 private:
  template <class T>
  ValueId scalar(T value, const char* name) {
    return builder_.constant(Tensor::scalar(value), name);
  }

  graph::Graph finish(graph::Op op, std::vector<ValueId> inputs) {
    builder_.output(builder_.add(op, std::move(inputs), attributes(spec_), "conv"), "y");
    return builder_.finish();
  }

  const ConvSpec& spec_;
  std::uint64_t seed_;
  Builder builder_;
  Shape weight_shape_;
  double weight_spread_ = 1;
};

}  // namespace

std::string_view to_string(TapPacking taps) {
  return kTapPackings[static_cast<std::size_t>(taps)];
}

TapPacking parse_tap_packing(std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(kTapPackings, name);
  if (found != kTapPackings.end()) return static_cast<TapPacking>(found - kTapPackings.begin());
  throw InputError(
      fmt::format("{} {}: unknown; must be best, packed or apart", what, printable(name)));
}

compiler::MappingOptions mapping_of(const ConvSpec& spec) {
  if (spec.taps == TapPacking::kBest) return {};
  return {.packed_taps = spec.taps == TapPacking::kPacked};
}

std::string to_text(const ConvSpec& spec) {
  std::string text = fmt::format("{} of {}x{} over {}",
                                 counted(static_cast<std::uint64_t>(spec.filters), "filter"),
                                 spec.kernel[0], spec.kernel[1], graph::to_string(spec.input));
  if (spec.groups > 1) text += fmt::format(" in {} groups", spec.groups);
  if (spec.bias) text += " + bias";
  if (spec.activation != Activation::kNone) {
    text += fmt::format(", {}", to_string(spec.activation));
  }
  return text;
}

graph::Graph conv_graph(const ConvSpec& spec, ElementType dtype, std::uint64_t seed) {
  if (spec.input[1] % spec.groups != 0 || spec.filters % spec.groups != 0) {
    throw InputError(
        fmt::format("--groups {}: must divide the {} channels of the input and the {} filters",
                    spec.groups, spec.input[1], spec.filters));
  }
  ConvBuilder builder(spec, seed);
  return dtype == ElementType::kInt8 ? builder.integers() : builder.floats();
}

}  // namespace weft::runtime
