// --optimize: how long the compiler looks for a schedule.
#pragma once

#include "cli/arguments.h"
#include "compiler/program/network_program.h"

namespace weft::cli {

po::options_description search_flags();

/// Throws InputError for another level than 0, 1 or 2.
compiler::SearchEffort read_effort(const Arguments& arguments);

}  // namespace weft::cli
