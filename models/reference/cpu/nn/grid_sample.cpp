// GridSample of images: each result is read at a point of the image that the grid gives.
//
//   grid   -1 .. 1 from end to end of the image; the ends are the middles of the outermost elements
//          (align_corners) or their outer edges
//   zeros       elements beyond the image are 0
//   border      the nearest element of the image stands for them
//   reflection  the image is mirrored at its ends, again and again
//
// Bilinear and nearest move the point into the image first (border, reflection), and then read it;
// bicubic moves each of the 16 elements that it reads. PyTorch, where the operator comes from, does
// the same. A half goes to the even element. Points are computed in the type of the grid, step by
// step; each result is added in binary64 and rounded once. A point that is not a number lies
// outside of the image with zeros, and on the first element otherwise.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "models/reference/cpu/nn/cubic.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"

namespace weft::reference {
namespace {

enum class Padding : std::uint8_t { kZeros, kBorder, kReflection };

constexpr double kCubicA = -0.75;

struct SampleModes {
  std::string mode;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

SampleModes sample_modes_of(const graph::Attributes& attributes) {
  const std::string padding = attributes.text("padding_mode", "zeros");
  return {attributes.text("mode", "bilinear"),
          padding == "border"       ? Padding::kBorder
          : padding == "reflection" ? Padding::kReflection
                                    : Padding::kZeros,
          attributes.integer("align_corners", 0) != 0};
}

/// The position of grid coordinate `x` in elements of a dimension.
template <class T>
T element_position(T x, std::int64_t extent, bool align_corners) {
  const auto size = static_cast<T>(extent);
  if (align_corners) return (x + T{1}) / T{2} * (size - T{1});
  return ((x + T{1}) * size - T{1}) / T{2};
}

/// Mirrors at the ends of the dimension: at its outermost elements or at their outer edges.
template <class T>
T reflected(T x, std::int64_t extent, bool align_corners) {
  const T low = align_corners ? T{0} : T{-0.5};
  const T span = static_cast<T>(align_corners ? extent - 1 : extent);
  if (span == T{0}) return T{0};
  const T distance = std::abs(x - low);
  const T rest = std::fmod(distance, span);
  const bool turned = std::fmod(std::floor(distance / span), T{2}) != T{0};
  return (turned ? span - rest : rest) + low;
}

/// Between the first and the last element; the first one for a NaN.
template <class T>
T inside(T x, std::int64_t extent) {
  const auto last = static_cast<T>(extent - 1);
  if (!(x > T{0})) return T{0};
  return x < last ? x : last;
}

/// A number near the dimension, so that it can be counted in integers. Points farther away than any
/// tap reaches back all read the same; a NaN lies before the first element.
template <class T>
T near(T x, std::int64_t extent) {
  constexpr T kBeyond = 4;
  if (!(x > -kBeyond)) return -kBeyond;
  return std::min(x, static_cast<T>(extent) + kBeyond);
}

/// The point moved into the dimension as the padding says. Zeros leave it near the dimension.
template <class T>
T padded(T x, std::int64_t extent, const SampleModes& modes) {
  if (modes.padding == Padding::kZeros) return near(x, extent);
  if (modes.padding == Padding::kBorder) return inside(x, extent);
  return inside(reflected(x, extent, modes.align_corners), extent);
}

/// Elements along one dimension and their weights. Those with weight 0 are left out.
struct Taps {
  std::array<std::int64_t, 4> at = {};
  std::array<double, 4> weights = {};
  std::size_t count = 0;

  /// Leaves out an element outside of the dimension: it is 0.
  void add(std::int64_t position, double weight, std::int64_t extent) {
    if (weight == 0 || position < 0 || position >= extent) return;
    at[count] = position;
    weights[count++] = weight;
  }
};

/// The point of a bicubic sample: only reflection tells far points apart.
template <class T>
T countable(T x, std::int64_t extent, const SampleModes& modes) {
  if (modes.padding != Padding::kReflection) return near(x, extent);
  return std::isfinite(x) ? x : T{0};
}

template <class T>
Taps cubic_taps(T position, std::int64_t extent, const SampleModes& modes) {
  const T x = countable(position, extent, modes);
  const T lower = std::floor(x);
  const auto weights = cubic_weights(static_cast<double>(x - lower), kCubicA);
  Taps taps;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const T tap = padded(lower - T{1} + static_cast<T>(i), extent, modes);
    taps.add(static_cast<std::int64_t>(tap), weights[i], extent);
  }
  return taps;
}

template <class T>
Taps taps_at(T coordinate, std::int64_t extent, const SampleModes& modes) {
  const T x = element_position(coordinate, extent, modes.align_corners);
  if (modes.mode == "bicubic") return cubic_taps(x, extent, modes);
  const T moved = padded(x, extent, modes);
  Taps taps;
  if (modes.mode == "nearest") {
    taps.add(static_cast<std::int64_t>(std::rint(moved)), 1, extent);
    return taps;
  }
  const T lower = std::floor(moved);
  const auto fraction = static_cast<double>(moved - lower);
  taps.add(static_cast<std::int64_t>(lower), 1 - fraction, extent);
  taps.add(static_cast<std::int64_t>(lower) + 1, fraction, extent);
  return taps;
}

/// The weighted sum of the elements of a plane whose lines have `width` elements.
template <class T>
T sampled(const T* plane, std::int64_t width, const Taps& rows, const Taps& columns) {
  double sum = 0;
  for (std::size_t r = 0; r < rows.count; ++r) {
    const T* line = plane + rows.at[r] * width;
    for (std::size_t c = 0; c < columns.count; ++c) {
      sum += rows.weights[r] * columns.weights[c] * static_cast<double>(line[columns.at[c]]);
    }
  }
  return static_cast<T>(sum);
}

template <class T, class G>
void sample(const NodeCall& call, Tensor& y) {
  const SampleModes modes = sample_modes_of(call.attributes);
  const Shape& in = input(call, 0).shape();
  const Shape& out = y.shape();
  const std::int64_t image = in[2] * in[3];
  const std::int64_t points = out[2] * out[3];
  const T* x = input(call, 0).data<T>().data();
  const G* grid = input(call, 1).data<G>().data();
  T* to = y.mutable_data<T>().data();
  for (std::int64_t n = 0; n < out[0]; ++n, to += out[1] * points) {
    for (std::int64_t p = 0; p < points; ++p, grid += 2) {
      const Taps columns = taps_at(grid[0], in[3], modes);
      const Taps rows = taps_at(grid[1], in[2], modes);
      for (std::int64_t c = 0; c < out[1]; ++c) {
        to[c * points + p] = sampled(x + (n * in[1] + c) * image, in[3], rows, columns);
      }
    }
  }
}

Tensors evaluate_grid_sample(const NodeCall& call) {
  Tensor y(call.outputs[0]);
  const bool wide_grid = input(call, 1).type() == DataType::kFloat64;
  with_real(call, [&]<class T>(T) {
    wide_grid ? sample<T, double>(call, y) : sample<T, float>(call, y);
  });
  return {std::move(y)};
}

}  // namespace

Kernels grid_sample_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kGridSample, with_half<evaluate_grid_sample>},
  });
  return kKernels;
}

}  // namespace weft::reference
