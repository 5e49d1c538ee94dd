// The rows that a triangle of skew registers holds, without moving them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sim/array/kernels/aligned_buffer.h"

namespace weft {

/// The last `depth` rows of `cols` values, one per cycle. A triangle of skew registers holds the
/// same values; reading it means reading these rows along a diagonal. Column c of a skew triangle
/// shows the value that entered c cycles ago, and column c of a deskew triangle the value that
/// entered cols - 1 - c cycles ago. A column has at most `depth` - 1 registers.
template <class T>
class SkewRows {
 public:
  SkewRows(std::size_t depth, std::size_t cols) : depth_(depth), cols_(cols), rows_(depth * cols) {}

  void next_cycle() { now_ = now_ + 1 == depth_ ? 0 : now_ + 1; }
  void record(const T* row) { std::copy_n(row, cols_, rows_.data() + now_ * cols_); }

  /// out[c] = column c as it was recorded c cycles ago, as skew registers delay it. Needs depth >=
  /// columns.
  void read_skewed(T* out) const {
    const std::size_t before_wrap = std::min(now_ + 1, cols_);
    for (std::size_t c = 0; c < before_wrap; ++c) out[c] = rows_.data()[(now_ - c) * cols_ + c];
    const std::size_t last = now_ + depth_;
    for (std::size_t c = before_wrap; c < cols_; ++c) out[c] = rows_.data()[(last - c) * cols_ + c];
  }

  /// out[c] = column c as it was recorded columns - 1 - c cycles ago, as deskew registers delay it.
  void read_deskewed(T* out) const {
    const std::size_t oldest = now_ + 1 + depth_ - cols_;  // the row from which column 0 comes
    const std::size_t wrapped = oldest < depth_ ? std::min(depth_ - oldest, cols_) : 0;
    for (std::size_t c = 0; c < wrapped; ++c) out[c] = rows_.data()[(oldest + c) * cols_ + c];
    for (std::size_t c = wrapped; c < cols_; ++c) {
      out[c] = rows_.data()[(oldest + c - depth_) * cols_ + c];
    }
  }

 private:
  std::size_t depth_;
  std::size_t cols_;
  std::size_t now_ = 0;
  AlignedBuffer<T> rows_;
};

}  // namespace weft
