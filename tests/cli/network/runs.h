// Runs the command on networks, for tests.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/weft_process.h"

namespace weft::test {

inline Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Returns the JSON report of a run that must succeed.
inline nlohmann::json report_of(const Words& words) {
  const Finished finished = run_weft(joined(words, {"--json", "-"}));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  return nlohmann::json::parse(finished.out, nullptr, false);
}

/// Returns the text report of a run that must succeed.
inline std::string summary_of(const Words& words) {
  const Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 0) << finished.err;
  return finished.out;
}

}  // namespace weft::test
