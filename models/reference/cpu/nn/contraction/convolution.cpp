#include "models/reference/cpu/nn/contraction/convolution.h"

#include <cstddef>

#include "models/reference/cpu/product/product.h"

namespace weft::reference {
namespace {

/// With more output channels per input channel, a matrix product is faster than working tap by tap.
constexpr std::int64_t kMaxDirectOutputs = 4;

bool is_pointwise(const Windows& windows) {
  return std::all_of(windows.begin(), windows.end(), [](const graph::WindowDim& window) {
    return window.kernel == 1 && window.stride == 1 && window.pad_begin == 0 &&
           window.output == window.input;
  });
}

/// One group of one image.
template <class T, class Sum>
class GroupConvolution {
 public:
  explicit GroupConvolution(const ConvGeometry& geometry)
      : geometry_(geometry),
        windows_(geometry.windows),
        in_plane_(input_plane(windows_)),
        out_plane_(output_plane(windows_)),
        taps_(tap_count(windows_)) {}

  void run(const T* x, const T* w, Sum* y) {
    if (geometry_.in_channels == 1 && geometry_.out_channels <= kMaxDirectOutputs) {
      return run_direct(x, w, y);
    }
    const std::int64_t depth = geometry_.in_channels * taps_;
    if (is_pointwise(windows_)) {
      return add_product(w, x, y, {geometry_.out_channels, depth, out_plane_});
    }
    const std::int64_t block = block_positions(depth);
    for (std::int64_t first = 0; first < out_plane_; first += block) {
      run_block(x, w, y, first, std::min(block, out_plane_ - first));
    }
  }

 private:
  void run_direct(const T* x, const T* w, Sum* y) const {
    const std::int64_t stride = windows_.back().stride;
    for (std::int64_t i = 0; i < geometry_.out_channels * taps_; ++i) {
      const T weight = w[i];
      Sum* plane = y + i / taps_ * out_plane_;
      for_each_run(windows_, i % taps_, 0, out_plane_,
                   [&](std::int64_t output, std::int64_t input, std::int64_t count) {
                     add_scaled(x + input, stride, weight, plane + output, count);
                   });
    }
  }

  static void add_scaled(const T* x, std::int64_t stride, T weight, Sum* y, std::int64_t count) {
    if (stride == 1) {
      for (std::int64_t i = 0; i < count; ++i) y[i] += static_cast<Sum>(x[i] * weight);
    } else {
      for (std::int64_t i = 0; i < count; ++i) y[i] += static_cast<Sum>(x[i * stride] * weight);
    }
  }

  void run_block(const T* x, const T* w, Sum* y, std::int64_t first, std::int64_t count) {
    const std::int64_t depth = geometry_.in_channels * taps_;
    unfolded_.assign(static_cast<std::size_t>(depth * count), T{0});
    for (std::int64_t row = 0; row < depth; ++row) {
      unfold(x + row / taps_ * in_plane_, row % taps_, first, count,
             unfolded_.data() + row * count);
    }
    sums_.assign(static_cast<std::size_t>(geometry_.out_channels * count), Sum{0});
    add_product(w, unfolded_.data(), sums_.data(), {geometry_.out_channels, depth, count});
    for (std::int64_t channel = 0; channel < geometry_.out_channels; ++channel) {
      std::copy_n(sums_.data() + channel * count, count, y + channel * out_plane_ + first);
    }
  }

  void unfold(const T* plane, std::int64_t tap, std::int64_t first, std::int64_t count,
              T* row) const {
    const std::int64_t stride = windows_.back().stride;
    for_each_run(windows_, tap, first, first + count,
                 [&](std::int64_t output, std::int64_t input, std::int64_t length) {
                   T* to = row + (output - first);
                   const T* from = plane + input;
                   if (stride == 1) {
                     std::copy_n(from, length, to);
                   } else {
                     for (std::int64_t i = 0; i < length; ++i) to[i] = from[i * stride];
                   }
                 });
  }

  const ConvGeometry& geometry_;
  const Windows& windows_;
  std::int64_t in_plane_;
  std::int64_t out_plane_;
  std::int64_t taps_;
  std::vector<T> unfolded_;
  std::vector<Sum> sums_;
};

}  // namespace

std::int64_t block_positions(std::int64_t rows) {
  constexpr std::int64_t kBlockElements = std::int64_t{1} << 18;
  // With fewer positions, Eigen's kernels would have too little work per packing.
  constexpr std::int64_t kLeastPositions = 128;
  return std::max(kLeastPositions, kBlockElements / rows);
}

ConvGeometry conv_geometry(const graph::Attributes& attributes, const Shape& x, const Shape& w) {
  const std::int64_t groups = attributes.integer("group", 1);
  const Shape kernel(w.begin() + 2, w.end());
  return {x[0], groups, w[1], w[0] / groups, graph::resolve_windows(attributes, x, kernel)};
}

Shape output_shape(const ConvGeometry& geometry) {
  Shape shape{geometry.images, geometry.groups * geometry.out_channels};
  for (const graph::WindowDim& window : geometry.windows) shape.push_back(window.output);
  return shape;
}

template <class T, class Sum>
void convolve(const ConvGeometry& geometry, std::span<const T> x, std::span<const T> w,
              std::span<Sum> y) {
  if (x.empty() || w.empty() || y.empty()) return;
  GroupConvolution<T, Sum> convolution(geometry);
  const std::int64_t in = geometry.in_channels * input_plane(geometry.windows);
  const std::int64_t out = geometry.out_channels * output_plane(geometry.windows);
  const std::int64_t weights =
      geometry.out_channels * geometry.in_channels * tap_count(geometry.windows);
  for (std::int64_t i = 0; i < geometry.images * geometry.groups; ++i) {
    const std::int64_t group = i % geometry.groups;
    convolution.run(x.data() + i * in, w.data() + group * weights, y.data() + i * out);
  }
}
template void convolve(const ConvGeometry&, std::span<const float>, std::span<const float>,
                       std::span<float>);
template void convolve(const ConvGeometry&, std::span<const double>, std::span<const double>,
                       std::span<double>);
template void convolve(const ConvGeometry&, std::span<const float>, std::span<const float>,
                       std::span<std::int32_t>);

}  // namespace weft::reference
