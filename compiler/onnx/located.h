// Where an error is, added by whoever knows: the innermost function says what is wrong, its callers
// say in which tensor, node and file.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "sim/config/error.h"
#include "sim/config/printable.h"

namespace weft::onnx_io {

/// Calls `function` and returns what it returns; an InputError gets `where: ` in front.
template <class Function>
decltype(auto) located(const std::string& where, Function&& function) {
  try {
    return function();
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
}

/// `initializer 'w'`, with the name made printable.
inline std::string labelled(std::string_view kind, std::string_view name) {
  return fmt::format("{} {}", kind, printable(name));
}

}  // namespace weft::onnx_io
