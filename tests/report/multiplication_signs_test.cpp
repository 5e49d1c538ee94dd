#include "report/page/multiplication_signs.h"

#include <gtest/gtest.h>

namespace weft::report {
namespace {

TEST(MultiplicationSignsTest, StandBetweenNumbers) {
  EXPECT_EQ(with_multiplication_signs("4 x 4"), "4 × 4");
  EXPECT_EQ(with_multiplication_signs("64 filters of 3x3 over 1x64x28x28."),
            "64 filters of 3×3 over 1×64×28×28.");
  EXPECT_EQ(with_multiplication_signs("K = 1,024 x 2 (22.0 kB)"), "K = 1,024 × 2 (22.0 kB)");
}

TEST(MultiplicationSignsTest, NamesStayAsTheyAre) {
  for (const char* text : {"conv_3x3", "conv3x3", "block.1x1", "a/3x3", "3x3-conv", "3x3conv",
                           "0xff", "x 3", "3 x", "", "1.5x"}) {
    EXPECT_EQ(with_multiplication_signs(text), text);
  }
}

TEST(MultiplicationSignsTest, CommandsAndLayersKeepTheirNames) {
  nlohmann::ordered_json data = {
      {"title", "4 x 4"},
      {"command", "weft 4 x 4"},
      {"report", {{"notes", {"4 x 4"}}, {"workload", "4 x 4"}}},
      {"layers", {{{"name", "4 x 4"}, {"shape", "1x2"}, {"why", nullptr}}}},
      {"candidates", {{"chosen", "4 x 4"}, {"runs", {{{"reason", "4 x 4"}, {"cycles", 4}}}}}}};
  write_multiplication_signs(data);
  const nlohmann::ordered_json expected = {
      {"title", "4 × 4"},
      {"command", "weft 4 x 4"},
      {"report", {{"notes", {"4 × 4"}}, {"workload", "4 x 4"}}},
      {"layers", {{{"name", "4 x 4"}, {"shape", "1×2"}, {"why", nullptr}}}},
      {"candidates", {{"chosen", "4 × 4"}, {"runs", {{{"reason", "4 × 4"}, {"cycles", 4}}}}}}};
  EXPECT_EQ(data, expected);
}

}  // namespace
}  // namespace weft::report
