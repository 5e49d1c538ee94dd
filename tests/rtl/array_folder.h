// RTL arrays that only tests use.
#pragma once

#include <cstdlib>

namespace weft::test {

/// Makes this program, and programs that it starts, load arrays only from `folder`.
inline void use_arrays_of(const char* folder) {
  ::setenv("WEFT_RTL_PATH", folder, 1);
}

}  // namespace weft::test
