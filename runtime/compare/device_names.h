// Names of rows in one table.
#pragma once

#include "runtime/compare/comparison.h"

namespace weft::runtime {

/// Adds its file to the device of each row that comes from a file and shares device and type with
/// another row; of several such rows of one file, also a number: "NVIDIA A100 (a.csv, 2)".
void tell_apart(CompareReport& report);

}  // namespace weft::runtime
