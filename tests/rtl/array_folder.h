// Arrays of the RTL that only a test has.
#pragma once

#include <cstdlib>

namespace weft::test {

/// This program, and each that it starts, loads its arrays from `folder` alone.
inline void use_arrays_of(const char* folder) {
  ::setenv("WEFT_RTL_PATH", folder, 1);
}

}  // namespace weft::test
