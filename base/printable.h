// Text for others: untrusted text in an error message, words for a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft {

/// The words as a shell reads them: those with special characters are quoted.
std::string shell_line(std::span<const std::string> words);

/// 'text' in single quotes, cut with "..." after 48 bytes. Bytes that are no UTF-8, and characters
/// that cannot be seen or that change the text around them, become \xNN.
std::string printable(std::string_view text);

/// The whole text without quotes, with \xNN as in printable(). Names from files are kept this way.
std::string visible_text(std::string_view text);

}  // namespace weft
