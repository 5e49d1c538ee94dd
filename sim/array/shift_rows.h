// Chains of registers that all shift every cycle. The data does not move: a window over a longer
// buffer moves instead. When the window reaches the start, its contents are copied to the end.
//
//   buffer of one row   . . . . . [0 1 2 3 4] x x x     0 = shifted in last
//   after a shift       . . . . [0 1 2 3 4] x x x x     the last value has left the chain
//
// Invariant: element i of a row is the value shifted in i shifts ago; zero before the first shift.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sim/array/kernels/aligned_buffer.h"

namespace weft {

template <class T>
class ShiftRows {
 public:
  /// `rows` chains of `length` registers, all zero. Whole vectors may also read the `padding`
  /// elements after each chain; their values have no meaning.
  ShiftRows(std::size_t rows, std::size_t length, std::size_t padding)
      : rows_(rows),
        length_(length),
        // Copies length_ elements every slack_ shifts: at most one element per row and shift.
        slack_(std::max<std::size_t>(length, kMinSlack)),
        stride_(slack_ + length + padding),
        position_(slack_),
        data_(rows * stride_) {}

  /// Shifts `values[r]` into the chain of each row r.
  void shift(const T* values) {
    if (position_ == 0) rewind();
    --position_;
    T* first = data_.data() + position_;
    // Locals, because a store through a T* may alias the members.
    const std::size_t rows = rows_;
    const std::size_t stride = stride_;
    for (std::size_t r = 0; r < rows; ++r) first[r * stride] = values[r];
  }

  /// The chain of one row, newest value first. The next row's chain starts stride() elements later.
  const T* row(std::size_t row) const { return data_.data() + row * stride_ + position_; }
  std::size_t stride() const { return stride_; }

 private:
  static constexpr std::size_t kMinSlack = 64;

  void rewind() {
    for (std::size_t r = 0; r < rows_; ++r) {
      T* const start = data_.data() + r * stride_;
      std::copy_backward(start, start + length_, start + slack_ + length_);
    }
    position_ = slack_;
  }

  std::size_t rows_;
  std::size_t length_;
  std::size_t slack_;
  std::size_t stride_;
  std::size_t position_;
  AlignedBuffer<T> data_;
};

}  // namespace weft
