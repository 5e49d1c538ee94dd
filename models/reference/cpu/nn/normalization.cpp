// BatchNormalization (inference), InstanceNormalization, LayerNormalization and LRN.
//
// Means, variances and the values computed from them are binary64, rounded once to the element
// type. LRN computes each step in the element type, except its power (scalar_functions.h).
#include <algorithm>
#include <cmath>

#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/nn/scalar_functions.h"

namespace weft::reference {
namespace {

struct Statistics {
  double mean = 0;
  double inverse_deviation = 0;  // 1 / sqrt(variance + epsilon)
};

template <class T>
Statistics statistics(std::span<const T> elements, double epsilon) {
  const auto count = static_cast<double>(elements.size());
  double sum = 0;
  for (const T element : elements) sum += static_cast<double>(element);
  const double mean = sum / count;
  double squares = 0;
  for (const T element : elements) {
    const double difference = static_cast<double>(element) - mean;
    squares += difference * difference;
  }
  return {mean, 1.0 / std::sqrt(squares / count + epsilon)};
}

template <class T>
T normalized(T x, const Statistics& of, T scale, T bias) {
  const double unit = (static_cast<double>(x) - of.mean) * of.inverse_deviation;
  return static_cast<T>(unit * static_cast<double>(scale) + static_cast<double>(bias));
}

double epsilon_of(const NodeCall& call) {
  return static_cast<double>(call.attributes.real("epsilon", 1e-5F));
}

/// Number of elements in one channel of one image: the product of the extents from dimension 2 on.
std::size_t plane_of(const Shape& shape) {
  return static_cast<std::size_t>(graph::element_count({shape.begin() + 2, shape.end()}));
}

/// Normalizes each plane of x [images, channels, plane] with statistics_of(channel, plane's
/// elements).
template <class T, class StatisticsOf>
Tensor normalize_planes(const NodeCall& call, StatisticsOf statistics_of) {
  const Tensor& x = input(call, 0);
  const auto scale = elements<T>(call, 1);
  const auto bias = elements<T>(call, 2);
  const std::size_t plane = plane_of(x.shape());
  Tensor y(x.value_type());
  const std::span<T> out = y.mutable_data<T>();
  for (std::size_t first = 0; first < out.size(); first += plane) {
    const std::size_t channel = first / plane % scale.size();
    const auto in = x.data<T>().subspan(first, plane);
    const Statistics of = statistics_of(channel, in);
    for (std::size_t i = 0; i < plane; ++i) {
      out[first + i] = normalized(in[i], of, scale[channel], bias[channel]);
    }
  }
  return y;
}

template <class T>
Tensor batch_normalization(const NodeCall& call) {
  const auto mean = elements<T>(call, 3);
  const auto variance = elements<T>(call, 4);
  const double epsilon = epsilon_of(call);
  return normalize_planes<T>(call, [&](std::size_t channel, std::span<const T>) -> Statistics {
    return {static_cast<double>(mean[channel]),
            1.0 / std::sqrt(static_cast<double>(variance[channel]) + epsilon)};
  });
}

template <class T>
Tensors layer_normalization(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const std::int64_t axis = graph::normalized_axis(call.attributes.integer("axis", -1), x.rank());
  Shape outer = x.shape();
  std::fill(outer.begin() + axis, outer.end(), 1);
  const auto scale = elements<T>(call, 1);
  const auto bias = elements<T>(call, 2);
  Tensor y(x.value_type());
  Tensor means(DataType::kFloat32, outer);
  Tensor inverse_deviations(DataType::kFloat32, outer);
  const std::span<T> out = y.mutable_data<T>();
  const std::span<float> mean = means.mutable_data<float>();
  const std::span<float> inverse = inverse_deviations.mutable_data<float>();
  const std::size_t run = mean.empty() ? 0 : out.size() / mean.size();
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const auto in = x.data<T>().subspan(i * run, run);
    const Statistics of = statistics(in, epsilon_of(call));
    mean[i] = static_cast<float>(of.mean);
    inverse[i] = static_cast<float>(of.inverse_deviation);
    for (std::size_t k = 0; k < run; ++k) {
      out[i * run + k] = normalized(in[k], of, scale[k], bias.empty() ? T{0} : bias[k]);
    }
  }
  return {std::move(y), std::move(means), std::move(inverse_deviations)};
}

struct LrnParameters {
  std::int64_t size = 1;
  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1.0F;
};

/// One image [channels, plane]: x / (bias + alpha/size * sum of squares over `size` channels around
/// it)^beta.
template <class T>
void lrn_image(const T* x, T* y, std::int64_t channels, std::int64_t plane,
               const LrnParameters& parameters) {
  const std::int64_t before = (parameters.size - 1) / 2;
  const T factor = static_cast<T>(parameters.alpha) / static_cast<T>(parameters.size);
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const std::int64_t first = std::max<std::int64_t>(channel - before, 0);
    const std::int64_t end = std::min(channel - before + parameters.size, channels);
    for (std::int64_t i = 0; i < plane; ++i) {
      T squares{0};
      for (std::int64_t c = first; c < end; ++c) squares += x[c * plane + i] * x[c * plane + i];
      const T base = static_cast<T>(parameters.bias) + factor * squares;
      y[channel * plane + i] =
          x[channel * plane + i] / reference::pow(base, static_cast<T>(parameters.beta));
    }
  }
}

template <class T>
Tensor lrn(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const LrnParameters parameters{
      call.attributes.integer("size", 1), call.attributes.real("alpha", 1e-4F),
      call.attributes.real("beta", 0.75F), call.attributes.real("bias", 1.0F)};
  const std::int64_t channels = x.shape()[1];
  const auto plane = static_cast<std::int64_t>(plane_of(x.shape()));
  Tensor y(x.value_type());
  T* out = y.mutable_data<T>().data();
  for (std::int64_t image = 0; image < x.shape()[0]; ++image) {
    const std::int64_t offset = image * channels * plane;
    lrn_image(x.data<T>().data() + offset, out + offset, channels, plane, parameters);
  }
  return y;
}

Tensors evaluate_batch_normalization(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors { return {batch_normalization<T>(call)}; });
}

Tensors evaluate_instance_normalization(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors {
    return {normalize_planes<T>(call, [&](std::size_t, std::span<const T> plane) {
      return statistics(plane, epsilon_of(call));
    })};
  });
}

Tensors evaluate_layer_normalization(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) { return layer_normalization<T>(call); });
}

Tensors evaluate_lrn(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors { return {lrn<T>(call)}; });
}

}  // namespace

Kernels normalization_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kBatchNormalization, with_half<evaluate_batch_normalization>},
      {Op::kInstanceNormalization, with_half<evaluate_instance_normalization>},
      {Op::kLayerNormalization, with_half<evaluate_layer_normalization>},
      {Op::kLrn, with_half<evaluate_lrn>},
  });
  return kKernels;
}

}  // namespace weft::reference
