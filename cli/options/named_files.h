// The files that a command line names.
#pragma once

#include "cli/options/arguments.h"

namespace weft::cli {

/// Throws InputError if an option would write a file that the command line names once more: an
/// input, which would be lost, or another output. An input is a file that is there: a positional
/// argument, or the value of an option or an element of its list.
void check_files_apart(const Arguments& arguments);

}  // namespace weft::cli
