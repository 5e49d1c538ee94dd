// Where an error is, added by whoever knows: the innermost function says what is wrong, its callers
// say in which tensor, node and file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"

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

/// Calls `function` and returns what it returns; an InputError gets `file: ` in front and loses
/// what control characters the file's names brought into it.
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

/// `initializer 'w'`, with the name made printable.
inline std::string labelled(std::string_view kind, std::string_view name) {
  return fmt::format("{} {}", kind, printable(name));
}

}  // namespace weft::onnx_io
