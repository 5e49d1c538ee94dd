// Elements as bytes, for operators that move them without reading their values.
#pragma once

#include <array>
#include <cstddef>

#include "compiler/graph/tensor.h"

namespace weft::reference::tensor_ops {

/// One element of kBytes bytes. Bytes may alias objects of any type, so copying through them breaks
/// no aliasing rule. The compiler turns the copy into one move.
template <std::size_t kBytes>
struct Raw {
  std::array<unsigned char, kBytes> bytes;
};

/// Calls function(Raw<size>{}) with the element size of `type`.
template <class Function>
decltype(auto) with_raw(graph::DataType type, Function&& function) {
  switch (graph::size_bytes(type)) {
    case 1:
      return function(Raw<1>{});
    case 2:
      return function(Raw<2>{});
    case 4:
      return function(Raw<4>{});
    default:
      return function(Raw<8>{});
  }
}

template <class R>
const R* raw_data(const graph::Tensor& tensor) {
  return reinterpret_cast<const R*>(tensor.bytes().data());
}

template <class R>
R* mutable_raw_data(graph::Tensor& tensor) {
  return reinterpret_cast<R*>(tensor.mutable_bytes().data());
}

}  // namespace weft::reference::tensor_ops
