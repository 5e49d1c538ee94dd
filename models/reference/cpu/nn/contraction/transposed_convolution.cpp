// ConvTranspose. The transposed weights times the input give an unfolded output. Folding adds each
// of its rows to the positions that the original, untransposed convolution would read.
#include <utility>

#include "models/reference/cpu/nn/contraction/convolution.h"
#include "models/reference/cpu/product/product.h"

namespace weft::reference {
namespace {

/// The windows of the original convolution: its input is the larger side.
Windows turned_round(Windows windows) {
  for (graph::WindowDim& window : windows) std::swap(window.input, window.output);
  return windows;
}

/// Positions [first, first + count).
struct OutputSpan {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Computes one group of one image after the other.
template <class T>
class TransposedConvolution {
 public:
  explicit TransposedConvolution(const ConvGeometry& geometry)
      : windows_(turned_round(geometry.windows)),
        channels_(geometry.in_channels),
        rows_(geometry.out_channels * tap_count(windows_)),
        positions_(output_plane(windows_)) {}

  /// x [channels, positions], w [channels, rows], y [out_channels, plane].
  void run(const T* x, const T* w, T* y) {
    weights_.resize(static_cast<std::size_t>(channels_ * rows_));
    transpose(w, weights_.data(), channels_, rows_);
    const std::int64_t size = block_positions(std::max(rows_, channels_));
    for (std::int64_t first = 0; first < positions_; first += size) {
      run_block(x, y, {first, std::min(size, positions_ - first)});
    }
  }

 private:
  void run_block(const T* x, T* y, OutputSpan block) {
    columns_.resize(static_cast<std::size_t>(channels_ * block.count));
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
      std::copy_n(x + channel * positions_ + block.first, block.count,
                  columns_.data() + channel * block.count);
    }
    unfolded_.assign(static_cast<std::size_t>(rows_ * block.count), T{0});
    add_product(weights_.data(), columns_.data(), unfolded_.data(),
                {rows_, channels_, block.count});
    for (std::int64_t row = 0; row < rows_; ++row) fold(row, block, y);
  }

  void fold(std::int64_t row, OutputSpan block, T* y) const {
    const std::int64_t taps = tap_count(windows_);
    const std::int64_t stride = windows_.back().stride;
    const T* from = unfolded_.data() + row * block.count;
    T* to = y + row / taps * input_plane(windows_);
    for_each_run(windows_, row % taps, block.first, block.first + block.count,
                 [&](std::int64_t output, std::int64_t input, std::int64_t count) {
                   const T* run = from + (output - block.first);
                   for (std::int64_t i = 0; i < count; ++i) to[input + i * stride] += run[i];
                 });
  }

  Windows windows_;
  std::int64_t channels_;
  std::int64_t rows_;
  std::int64_t positions_;
  std::vector<T> weights_;
  std::vector<T> columns_;
  std::vector<T> unfolded_;
};

}  // namespace

template <class T>
void convolve_transposed(const ConvGeometry& geometry, std::span<const T> x, std::span<const T> w,
                         std::span<T> y) {
  if (x.empty() || w.empty() || y.empty()) return;
  TransposedConvolution<T> convolution(geometry);
  const std::int64_t in = geometry.in_channels * input_plane(geometry.windows);
  const std::int64_t out = geometry.out_channels * output_plane(geometry.windows);
  const std::int64_t weights =
      geometry.in_channels * geometry.out_channels * tap_count(geometry.windows);
  for (std::int64_t i = 0; i < geometry.images * geometry.groups; ++i) {
    const std::int64_t group = i % geometry.groups;
    convolution.run(x.data() + i * in, w.data() + group * weights, y.data() + i * out);
  }
}
template void convolve_transposed(const ConvGeometry&, std::span<const float>,
                                  std::span<const float>, std::span<float>);
template void convolve_transposed(const ConvGeometry&, std::span<const double>,
                                  std::span<const double>, std::span<double>);

}  // namespace weft::reference
