// The streams that a command writes to, and whether they take colors and a progress bar.
#pragma once

#include <ostream>

#include "report/text.h"

namespace weft::report {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  Style style;                // of `out`
  bool err_terminal = false;  // progress may be shown
};

}  // namespace weft::report
