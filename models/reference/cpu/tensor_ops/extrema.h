// The smaller and the larger of two numbers; if one is a NaN, that NaN. Of two zeros the first.
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
