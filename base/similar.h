// The name that was probably meant by a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft {

/// The one of `known` that continues `name` (`memory.gb`), else the most similar: at most three
/// characters inserted, deleted or replaced, fewer for a short name. Empty if there is none.
std::string most_similar(std::string_view name, std::span<const std::string> known);

}  // namespace weft
