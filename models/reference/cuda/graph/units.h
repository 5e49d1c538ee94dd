// The unsigned integer type for elements that are moved without reading their values.
#pragma once

#include <cstdint>

#include "compiler/graph/data_type.h"

namespace weft::cuda {

/// Calls function(Unit{}) with the unsigned integer of the size of `type`'s elements.
template <class Function>
void with_unit(graph::DataType type, Function&& function) {
  switch (graph::size_bytes(type)) {
    case 1:
      return function(std::uint8_t{});
    case 2:
      return function(std::uint16_t{});
    case 4:
      return function(std::uint32_t{});
    default:
      return function(std::uint64_t{});
  }
}

}  // namespace weft::cuda
