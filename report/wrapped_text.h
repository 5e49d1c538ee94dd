// Breaks sentences into lines of at most 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::report {

inline constexpr std::size_t kPageWidth = 80;

/// Breaks `sentence` into lines. The first is indented by `indent`, the others by two columns more.
std::string wrapped(const std::string& sentence, std::size_t indent = 2);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts);

}  // namespace weft::report
