// Makes names from files safe for terminals and one-line messages.
#pragma once

#include <algorithm>
#include <string>

namespace weft::graph {

/// `name` with a question mark in place of each control character.
inline std::string one_line(std::string name) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; };
  std::ranges::replace_if(name, is_control, '?');
  return name;
}

}  // namespace weft::graph
