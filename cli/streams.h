// Where a command writes, and what stands there: a terminal with colours, or a file.
#pragma once

#include <ostream>

#include "cli/text.h"

namespace weft::cli {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  Style style;                // of `out`
  bool err_terminal = false;  // progress may be shown
};

}  // namespace weft::cli
