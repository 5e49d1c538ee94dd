// The rows that a triangle of skew registers holds, without moving them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sim/array/aligned_buffer.h"

namespace weft {

/// The last `depth` rows of `cols` values, one a cycle: what a triangle of skew registers holds,
/// read along its diagonal. Column c of a skew triangle of up to `depth` - 1 registers shows the
/// value that entered c cycles ago; a deskew triangle does the same from the other side.
template <class T>
class SkewRows {
 public:
  SkewRows(std::size_t depth, std::size_t cols) : depth_(depth), cols_(cols), rows_(depth * cols) {}

  void next_cycle() { now_ = now_ + 1 == depth_ ? 0 : now_ + 1; }
  void record(const T* row) { std::copy_n(row, cols_, rows_.data() + now_ * cols_); }

  /// out[c] = column c as it was recorded c cycles ago: how skew registers delay a row. depth >=
  /// columns.
  void read_skewed(T* out) const {
    const std::size_t before_wrap = std::min(now_ + 1, cols_);
    for (std::size_t c = 0; c < before_wrap; ++c) out[c] = rows_.data()[(now_ - c) * cols_ + c];
    const std::size_t last = now_ + depth_;
    for (std::size_t c = before_wrap; c < cols_; ++c) out[c] = rows_.data()[(last - c) * cols_ + c];
  }

  /// out[c] = column c as it was recorded columns - 1 - c cycles ago: deskew registers.
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
