// Manual pages in the man macros of roff (man(7)), for section 1.
#pragma once

#include <span>
#include <string>

#include "cli/manual/command_manual.h"

namespace weft::cli {

/// weft(1): the commands, exit codes, and where to read on.
std::string man_page(std::span<const CommandManual> commands);

/// weft-COMMAND(1): synopsis, description and every option.
std::string man_page(const CommandManual& command);

}  // namespace weft::cli
