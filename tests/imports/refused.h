// The message with which a reader refuses a file.
#pragma once

#include <string>

#include "base/error.h"

namespace weft::imports {

/// The message of the InputError that `read` throws; empty if it throws none.
template <class Read>
std::string refusal(Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace weft::imports
