// The first lines of the programs that the tests write.
#pragma once

namespace weft {

inline constexpr const char* kHead = "weft 1\nmachine rows=4 cols=4 dtype=int8\n";

}  // namespace weft
