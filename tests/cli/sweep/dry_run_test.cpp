#include "cli/sweep/dry_run.h"

#include <gtest/gtest.h>

namespace weft::cli {
namespace {

TEST(DryRunTest, OneProcessRunsAPoint) {
  EXPECT_EQ(sweep_seconds(1.5, 1, 2), 1.5);
  EXPECT_EQ(sweep_seconds(1.5, 2, 2), 1.5);
  EXPECT_EQ(sweep_seconds(1.5, 3, 2), 3.0);
  EXPECT_EQ(sweep_seconds(1.5, 9, 1), 13.5);
  EXPECT_EQ(sweep_seconds(1.5, 0, 4), 0.0);
}

}  // namespace
}  // namespace weft::cli
