// Resize, nearest and linear, any rank. It resizes one axis after the other and skips axes that
// keep their elements. Coordinates are computed in binary32, like the operator's scales.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"

namespace weft::reference {
namespace {

struct ResizeModes {
  std::string mode;
  std::string coordinates;
  std::string rounding;
};

ResizeModes modes_of(const graph::Attributes& attributes) {
  return {attributes.text("mode", "nearest"),
          attributes.text("coordinate_transformation_mode", "half_pixel"),
          attributes.text("nearest_mode", "round_prefer_floor")};
}

[[noreturn]] void throw_unknown(std::string_view attribute, std::string_view value) {
  throw InputError(fmt::format("Resize: {} '{}' is not supported", attribute, value));
}

struct Axis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  float scale = 1;
  float length = 1;  // `out` before rounding down: in * scale, if scales are given
};

/// The coordinate of output `position` on the input's axis. align_corners maps the last corner of
/// the unrounded output (`length`) to the last input.
float original_coordinate(const Axis& axis, std::int64_t position, std::string_view mode) {
  const auto x = static_cast<float>(position);
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "align_corners") {
    if (axis.out == 1) return 0.0F;
    return x * static_cast<float>(axis.in - 1) / (axis.length - 1.0F);
  }
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5F) / axis.scale;
  if (mode == "pytorch_half_pixel" && axis.out == 1) return 0.0F;
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") return (x + 0.5F) / axis.scale - 0.5F;
  throw_unknown("coordinate_transformation_mode", mode);
}

float rounded(float x, std::string_view mode) {
  if (mode == "round_prefer_floor") return std::ceil(x - 0.5F);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5F);
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  throw_unknown("nearest_mode", mode);
}

/// Output = lower * (1 - fraction) + upper * fraction, where lower and upper are input positions.
struct Source {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  float fraction = 0;
};

Source nearest_source(float coordinate, std::int64_t extent, std::string_view rounding) {
  const float last = static_cast<float>(extent - 1);
  const float position = std::clamp(rounded(coordinate, rounding), 0.0F, last);
  const auto index = std::min(static_cast<std::int64_t>(position), extent - 1);
  return {index, index, 0.0F};
}

Source linear_source(float coordinate, std::int64_t extent) {
  const float inside = std::clamp(coordinate, 0.0F, static_cast<float>(extent - 1));
  const float lower = std::floor(inside);
  const auto index = std::min(static_cast<std::int64_t>(lower), extent - 1);
  return {index, std::min(index + 1, extent - 1), inside - lower};
}

std::vector<Source> sources(const Axis& axis, const ResizeModes& modes) {
  if (modes.mode != "nearest" && modes.mode != "linear") throw_unknown("mode", modes.mode);
  std::vector<Source> result;
  for (std::int64_t position = 0; position < axis.out; ++position) {
    const float coordinate = original_coordinate(axis, position, modes.coordinates);
    result.push_back(modes.mode == "nearest" ? nearest_source(coordinate, axis.in, modes.rounding)
                                             : linear_source(coordinate, axis.in));
  }
  return result;
}

bool keeps_elements(const std::vector<Source>& sources, std::int64_t extent) {
  if (static_cast<std::int64_t>(sources.size()) != extent) return false;
  for (std::int64_t i = 0; i < extent; ++i) {
    const Source& source = sources[static_cast<std::size_t>(i)];
    if (source.lower != i || source.fraction != 0.0F) return false;
  }
  return true;
}

/// Interpolates a line of `inner` elements between two lines.
template <class T>
void blend(const T* lower, const T* upper, float fraction, T* out, std::int64_t inner) {
  if constexpr (std::is_floating_point_v<T>) {
    if (fraction != 0.0F) {
      const T weight = static_cast<T>(fraction);
      for (std::int64_t i = 0; i < inner; ++i) {
        out[i] = lower[i] * (T{1} - weight) + upper[i] * weight;
      }
      return;
    }
  }
  std::copy_n(lower, inner, out);
}

template <class T>
Tensor resize_axis(const Tensor& x, std::size_t axis, const std::vector<Source>& sources) {
  Shape shape = x.shape();
  const std::int64_t inner = graph::row_major_strides(shape)[axis];
  const std::int64_t in = shape[axis];
  const auto out = static_cast<std::int64_t>(sources.size());
  shape[axis] = out;
  Tensor y(x.type(), shape);
  const T* from = x.data<T>().data();
  T* to = y.mutable_data<T>().data();
  for (std::int64_t row = 0; row * inner < y.size(); ++row) {
    const Source& source = sources[static_cast<std::size_t>(row % out)];
    const T* slab = from + row / out * in * inner;
    blend(slab + source.lower * inner, slab + source.upper * inner, source.fraction,
          to + row * inner, inner);
  }
  return y;
}

std::vector<Axis> axes_of(const NodeCall& call) {
  const Shape& in = input(call, 0).shape();
  const Shape& out = call.outputs[0].shape;
  const auto scales = elements<float>(call, 2);
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const auto from = static_cast<float>(in[d]);
    const auto to = static_cast<float>(out[d]);
    axes.push_back(scales.empty() ? Axis{in[d], out[d], to / from, to}
                                  : Axis{in[d], out[d], scales[d], from * scales[d]});
  }
  return axes;
}

Tensors evaluate_resize(const NodeCall& call) {
  const ResizeModes modes = modes_of(call.attributes);
  const std::vector<Axis> axes = axes_of(call);
  Tensor y = input(call, 0);
  if (graph::element_count(call.outputs[0].shape) == 0) return {Tensor(call.outputs[0])};
  if (modes.mode == "linear" && !is_float(y.type())) throw_wrong_type(call, y.type());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const std::vector<Source> from = sources(axes[d], modes);
    if (keeps_elements(from, axes[d].in)) continue;
    y = graph::with_type(y.type(), [&]<class T>(T) { return resize_axis<T>(y, d, from); });
  }
  return {std::move(y)};
}

}  // namespace

Kernels resize_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kResize, with_half<evaluate_resize>},
  });
  return kKernels;
}

}  // namespace weft::reference
