// Scripts that complete the command line in bash, zsh and fish: commands, options, presets,
// networks, names of values, and files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/manual/command_manual.h"

namespace weft::cli {

/// The script for "bash", "zsh" or "fish". Throws InputError for another shell.
std::string completion_script(std::string_view shell, std::span<const CommandManual> commands);

}  // namespace weft::cli
