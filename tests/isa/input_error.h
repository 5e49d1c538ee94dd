// Catches the error of a check that refuses its input.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace weft::testing_support {

/// Returns the message of the InputError that check() throws; empty if it throws none. The message
/// must be one line.
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
