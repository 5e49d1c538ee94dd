// What `weft compile --mapping` prints.
#pragma once

#include <string>

#include "runtime/compile.h"

namespace weft::cli {

/// For each program its buffer and order, and for each layer how it is divided and mapped, with one
/// line for all parts that are mapped alike. Empty if the host computes everything.
std::string mapping_table(const compiler::ScheduledNetwork& network);

}  // namespace weft::cli
