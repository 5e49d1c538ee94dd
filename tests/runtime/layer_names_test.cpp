// Names of layers that differ although their nodes have one name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/network_run.h"

namespace weft::runtime {
namespace {

using Names = std::vector<std::string>;

TEST(LayerNamesTest, NumbersTheSecondAndLaterOfAName) {
  EXPECT_EQ(told_apart({"a", "b", "a", "a", "b"}), (Names{"a", "b", "a:2", "a:3", "b:2"}));
  EXPECT_EQ(told_apart({"", ""}), (Names{"", ":2"}));
  EXPECT_EQ(told_apart({}), Names{});
}

TEST(LayerNamesTest, LeavesOutNumbersThatMakeATakenName) {
  EXPECT_EQ(told_apart({"a", "a", "a:2"}), (Names{"a", "a:3", "a:2"}));
  EXPECT_EQ(told_apart({"a:2", "a:2", "a", "a"}), (Names{"a:2", "a:2:2", "a", "a:3"}));
}

}  // namespace
}  // namespace weft::runtime
