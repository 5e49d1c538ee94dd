// Why a layer cannot run with the rows of the unified buffer that it has.
#pragma once

#include <cstdint>
#include <string>

namespace weft::compiler {

/// The layer needs `rows` rows for `what` at once. If `what` is empty, a resident sheet lies so
/// close to the start of the buffer that a border of the layer would begin before row 0.
struct Misfit {
  std::uint64_t rows = 0;
  std::string what = {};
};

}  // namespace weft::compiler
