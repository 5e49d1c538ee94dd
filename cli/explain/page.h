// Sentences in lines of at most 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::cli {

inline constexpr std::size_t kPageWidth = 80;

/// `sentence` in lines that fit the page, the first indented by `indent`, the others by two more.
std::string wrapped(const std::string& sentence, std::size_t indent = 2);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts);

}  // namespace weft::cli
