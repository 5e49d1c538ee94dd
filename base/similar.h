// Finds the name that a mistyped name probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft {

/// A name in `known` that is `name` but for the case of letters; otherwise one that begins with
/// `name` (as for `memory.gb`); otherwise the most similar one. Case is ignored throughout.
/// A similar name differs by at most three inserted, deleted or replaced characters, by fewer if
/// `name` is short. Returns "" if there is none.
std::string most_similar(std::string_view name, std::span<const std::string> known);

}  // namespace weft
