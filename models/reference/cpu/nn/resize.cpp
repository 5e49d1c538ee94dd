// Resize of any rank. It resizes one axis after the other and skips axes that keep their elements.
// Coordinates are computed in binary32, like the operator's scales. The weights of a cubic
// interpolation are computed in binary64, from there on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "models/reference/cpu/nn/cubic.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"

namespace weft::reference {
namespace {

struct ResizeModes {
  std::string mode;
  std::string coordinates;
  std::string rounding;
  double cubic_a = -0.75;
  bool exclude_outside = false;  // elements beyond the ends have no weight

  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

ResizeModes modes_of(const graph::Attributes& attributes) {
  return {attributes.text("mode", "nearest"),
          attributes.text("coordinate_transformation_mode", "half_pixel"),
          attributes.text("nearest_mode", "round_prefer_floor"),
          static_cast<double>(attributes.real("cubic_coeff_a", -0.75F)),
          attributes.integer("exclude_outside", 0) != 0};
}

[[noreturn]] void throw_unknown(std::string_view attribute, std::string_view value) {
  throw InputError(fmt::format("Resize: {} '{}' is not supported", attribute, value));
}

struct Axis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  float scale = 1;
  float length = 1;  // `out` before rounding down: in * scale, if scales are given
  float begin = 0;   // the region of interest, as parts of the axis
  float end = 1;
};

/// The coordinate in the region of interest. Its ends are at the first and the last output.
float cropped_coordinate(const Axis& axis, float x) {
  const auto last = static_cast<float>(axis.in - 1);
  if (axis.out == 1) return 0.5F * (axis.begin + axis.end) * last;
  return axis.begin * last + x * (axis.end - axis.begin) * last / (axis.length - 1.0F);
}

/// The coordinate of output `position` on the input's axis. align_corners maps the last corner of
/// the unrounded output (`length`) to the last input.
float original_coordinate(const Axis& axis, std::int64_t position, std::string_view mode) {
  const auto x = static_cast<float>(position);
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "align_corners") {
    if (axis.out == 1) return 0.0F;
    return x * static_cast<float>(axis.in - 1) / (axis.length - 1.0F);
  }
  if (mode == "tf_crop_and_resize") return cropped_coordinate(axis, x);
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

/// An output is the sum of the elements at `taps`, each with its weight, in this order.
struct Source {
  std::array<std::int64_t, 4> taps = {};
  std::array<double, 4> weights = {1, 0, 0, 0};
  std::size_t count = 1;
  bool outside = false;  // of the input, where tf_crop_and_resize extrapolates
};

Source nearest_source(float coordinate, std::int64_t extent, std::string_view rounding) {
  const float last = static_cast<float>(extent - 1);
  const float position = std::clamp(rounded(coordinate, rounding), 0.0F, last);
  const auto index = std::min(static_cast<std::int64_t>(position), extent - 1);
  return {{index}};
}

Source linear_source(float coordinate, std::int64_t extent) {
  const float inside = std::clamp(coordinate, 0.0F, static_cast<float>(extent - 1));
  const float lower = std::floor(inside);
  const auto index = std::min(static_cast<std::int64_t>(lower), extent - 1);
  const auto fraction = static_cast<double>(inside - lower);
  if (fraction == 0) return {{index}};
  return {{index, std::min(index + 1, extent - 1)}, {1 - fraction, fraction}, 2};
}

/// Elements beyond the ends equal the end, or have no weight if `modes` excludes them. From two
/// elements beyond an end on, all taps with a weight read the end, so the coordinate is cut there.
Source cubic_source(float coordinate, std::int64_t extent, const ResizeModes& modes) {
  const float inside = std::clamp(coordinate, -2.0F, static_cast<float>(extent) + 1.0F);
  const float lower = std::floor(inside);
  const auto weights = cubic_weights(static_cast<double>(inside - lower), modes.cubic_a);
  Source source{{}, {}, 0};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t tap = static_cast<std::int64_t>(lower) - 1 + static_cast<std::int64_t>(i);
    const std::int64_t end = std::clamp<std::int64_t>(tap, 0, extent - 1);
    if (weights[i] == 0 || (modes.exclude_outside && tap != end)) continue;
    source.taps[source.count] = end;
    source.weights[source.count++] = weights[i];
    sum += weights[i];
  }
  if (!modes.exclude_outside) return source;
  if (sum == 0) throw InputError("Resize: all elements that an output reads are excluded");
  for (double& weight : source.weights) weight /= sum;
  return source;
}

Source source_at(const Axis& axis, std::int64_t position, const ResizeModes& modes) {
  const float coordinate = original_coordinate(axis, position, modes.coordinates);
  if (std::isnan(coordinate)) throw InputError("Resize: a coordinate is not a number");
  const bool outside = coordinate < 0 || coordinate > static_cast<float>(axis.in - 1);
  if (modes.crops() && outside) return {.outside = true};
  if (modes.mode == "nearest") return nearest_source(coordinate, axis.in, modes.rounding);
  if (modes.mode == "linear") return linear_source(coordinate, axis.in);
  return cubic_source(coordinate, axis.in, modes);
}

std::vector<Source> sources(const Axis& axis, const ResizeModes& modes) {
  if (modes.mode != "nearest" && modes.mode != "linear" && modes.mode != "cubic") {
    throw_unknown("mode", modes.mode);
  }
  std::vector<Source> result;
  for (std::int64_t position = 0; position < axis.out; ++position) {
    result.push_back(source_at(axis, position, modes));
  }
  return result;
}

/// True if the source is element `i` alone.
bool is_element(const Source& source, std::int64_t i) {
  for (std::size_t k = 0; k < source.count; ++k) {
    if (source.weights[k] != (source.taps[k] == i ? 1.0 : 0.0)) return false;
  }
  return true;
}

bool keeps_elements(const std::vector<Source>& sources, std::int64_t extent) {
  if (static_cast<std::int64_t>(sources.size()) != extent) return false;
  for (std::int64_t i = 0; i < extent; ++i) {
    if (!is_element(sources[static_cast<std::size_t>(i)], i)) return false;
  }
  return true;
}

/// Interpolates a line of `inner` elements between the lines of `slab` that `source` names.
template <class T>
void blend(const T* slab, const Source& source, T* out, std::int64_t inner) {
  const T* first = slab + source.taps[0] * inner;
  if constexpr (std::is_floating_point_v<T>) {
    if (source.count > 1) {
      const T weight = static_cast<T>(source.weights[0]);
      for (std::int64_t i = 0; i < inner; ++i) out[i] = first[i] * weight;
    }
    for (std::size_t k = 1; k < source.count; ++k) {
      const T* line = slab + source.taps[k] * inner;
      const T weight = static_cast<T>(source.weights[k]);
      for (std::int64_t i = 0; i < inner; ++i) out[i] += line[i] * weight;
    }
    if (source.count > 1) return;
  }
  std::copy_n(first, inner, out);
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
    blend(from + row / out * in * inner, source, to + row * inner, inner);
  }
  return y;
}

/// The value as an element: cut to an integer and to the type's range, as by Cast.
template <class T>
T element_from(float value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    const auto wide = static_cast<double>(value);
    if (wide != wide) return 0;
    if (wide <= static_cast<double>(Limits::min())) return Limits::min();
    // For int64 the bound is rounded up to 2^63, which is the first value that does not fit.
    if (wide >= static_cast<double>(Limits::max())) return Limits::max();
    return static_cast<T>(wide);
  }
}

/// Writes the extrapolation value wherever the coordinate along `axis` is outside of the input.
void extrapolate(Tensor& y, std::size_t axis, const std::vector<Source>& sources, float value) {
  const std::int64_t inner = graph::row_major_strides(y.shape())[axis];
  const auto out = static_cast<std::int64_t>(sources.size());
  graph::with_type(y.type(), [&]<class T>(T) {
    if constexpr (std::is_arithmetic_v<T>) {
      T* to = y.mutable_data<T>().data();
      for (std::int64_t row = 0; row * inner < y.size(); ++row) {
        if (!sources[static_cast<std::size_t>(row % out)].outside) continue;
        std::fill_n(to + row * inner, inner, element_from<T>(value));
      }
    }
  });
}

/// Input 1, float32 or float64: all starts, then all ends.
std::vector<float> region_of(const NodeCall& call, const ResizeModes& modes) {
  const auto rank = input(call, 0).shape().size();
  std::vector<float> region(2 * rank, 0.0F);
  std::fill(region.begin() + static_cast<std::ptrdiff_t>(rank), region.end(), 1.0F);
  if (!modes.crops()) return region;
  const Tensor& roi = input(call, 1);
  if (roi.type() == DataType::kFloat64) {
    std::ranges::transform(roi.data<double>(), region.begin(),
                           [](double part) { return static_cast<float>(part); });
  } else {
    std::ranges::copy(elements<float>(call, 1), region.begin());
  }
  return region;
}

std::vector<Axis> axes_of(const NodeCall& call, const ResizeModes& modes) {
  const Shape& in = input(call, 0).shape();
  const Shape& out = call.outputs[0].shape;
  const auto scales = elements<float>(call, 2);
  const std::vector<float> region = region_of(call, modes);
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const auto from = static_cast<float>(in[d]);
    const auto to = static_cast<float>(out[d]);
    // A region's length is whole: its ends are the first and the last output.
    const bool scaled = !scales.empty();
    const float scale = scaled ? scales[d] : to / from;
    axes.push_back({in[d], out[d], scale, scaled && !modes.crops() ? from * scale : to, region[d],
                    region[in.size() + d]});
  }
  return axes;
}

Tensors evaluate_resize(const NodeCall& call) {
  const ResizeModes modes = modes_of(call.attributes);
  const std::vector<Axis> axes = axes_of(call, modes);
  Tensor y = input(call, 0);
  if (graph::element_count(call.outputs[0].shape) == 0) return {Tensor(call.outputs[0])};
  if (modes.mode != "nearest" && !is_float(y.type())) throw_wrong_type(call, y.type());
  std::vector<std::vector<Source>> from;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    from.push_back(sources(axes[d], modes));
    if (keeps_elements(from[d], axes[d].in)) continue;
    y = graph::with_type(y.type(), [&]<class T>(T) { return resize_axis<T>(y, d, from[d]); });
  }
  if (!modes.crops()) return {std::move(y)};
  const float value = call.attributes.real("extrapolation_value", 0);
  for (std::size_t d = 0; d < axes.size(); ++d) extrapolate(y, d, from[d], value);
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
