// Adds locations to errors: the innermost function describes the problem, and its callers add the
// tensor, node and file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"

namespace weft::onnx_io {

/// Calls `function` and returns its result. Puts `where: ` in front of an InputError's message.
template <class Function>
decltype(auto) located(const std::string& where, Function&& function) {
  try {
    return function();
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
}

/// Calls `function` and returns its result. Puts `file: ` in front of an InputError's message and
/// replaces control characters, which may come from names in the file.
template <class Function>
decltype(auto) located_in_file(const std::string& file, Function&& function) {
  try {
    return function();
  } catch (const InputError& error) {
    std::string text = error.what();
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
    throw InputError(file + ": " + text);
  }
}

/// Makes a label such as `initializer 'w'`, with the name made printable.
inline std::string labeled(std::string_view kind, std::string_view name) {
  return fmt::format("{} {}", kind, printable(name));
}

}  // namespace weft::onnx_io
