// What a check says of an input that it refuses.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace weft::testing_support {

/// The message of the InputError that check() throws, which must be one line; empty if it throws
/// none.
template <class Check>
std::string input_error(Check&& check) {
  try {
    check();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than one line";
    return error.what();
  }
  return "";
}

}  // namespace weft::testing_support
