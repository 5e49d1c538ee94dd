// What Weft needs beside its input: built RTL arrays, libraries, files that were there before.
#pragma once

#include "base/error.h"

namespace weft {

/// This computer lacks something that the command needs (exit code 2). It says nothing about the
/// simulated machine, so no result may keep it: after the lack is mended, the same command works.
struct MissingError : ConfigError {
  using ConfigError::ConfigError;
};

}  // namespace weft
