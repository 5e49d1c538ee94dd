// Prepares untrusted text for an error message: quoted, on one line, of bounded length.
#pragma once

#include <string>
#include <string_view>

namespace weft {

/// 'text' in single quotes; bytes outside printable ASCII as \xNN, cut with "..." after 48 bytes.
std::string printable(std::string_view text);

}  // namespace weft
