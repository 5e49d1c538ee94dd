// The smaller and the larger of two numbers. If one is a NaN, the result is that NaN. Of two zeros,
// the result is the first.
#pragma once

namespace weft::reference::tensor_ops {

struct Smaller {
  template <class T>
  T operator()(T x, T y) const {
    return y < x || y != y ? y : x;
  }
};

struct Larger {
  template <class T>
  T operator()(T x, T y) const {
    return y > x || y != y ? y : x;
  }
};

}  // namespace weft::reference::tensor_ops
