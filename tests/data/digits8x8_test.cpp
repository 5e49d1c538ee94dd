// Compares the embedded digits with published facts about them.
#include "models/data/digits8x8.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace weft::data {
namespace {

std::vector<float> image(const Examples& examples, std::size_t number) {
  const auto all = examples.images.data<float>().subspan(number * 64, 64);
  return {all.begin(), all.end()};
}

TEST(Digits8x8Test, HaveAsManyOfEachDigitAsTheRepositorySays) {
  // optdigits.names gives these counts as "No of examples in testing set".
  constexpr std::array<int, 10> kPublished = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  const Dataset digits = digits8x8();
  std::array<int, 10> counted = {};
  for (const Examples* part : {&digits.train, &digits.test}) {
    for (const int label : part->labels) ++counted.at(static_cast<std::size_t>(label));
  }
  EXPECT_EQ(counted, kPublished);
}

TEST(Digits8x8Test, BeginWithTheZeroThatIsPrintedEverywhere) {
  // The first line of optdigits.tes.
  const std::vector<float> first = {0, 0, 5,  13, 9,  1,  0, 0, 0, 0, 13, 15, 10, 15, 5, 0,
                                    0, 3, 15, 2,  0,  11, 8, 0, 0, 4, 12, 0,  0,  8,  8, 0,
                                    0, 5, 8,  0,  0,  9,  8, 0, 0, 4, 11, 0,  1,  12, 7, 0,
                                    0, 2, 14, 5,  10, 12, 0, 0, 0, 0, 6,  13, 10, 0,  0, 0};
  const Dataset digits = digits8x8();
  std::vector<float> scaled;
  for (const float value : first) scaled.push_back(value / 16);
  EXPECT_EQ(image(digits.train, 0), scaled);
  EXPECT_EQ(digits.train.labels.front(), 0);
}

TEST(Digits8x8Test, GiveEveryFifthImageToTheTest) {
  const Dataset digits = digits8x8();
  EXPECT_EQ(graph::to_string(digits.train.images.value_type()), "float32 1438x8x8");
  EXPECT_EQ(graph::to_string(digits.test.images.value_type()), "float32 359x8x8");
  EXPECT_EQ(digits.train.count(), 1438);
  EXPECT_EQ(digits.test.count(), 359);
  // In the file the digits 0 to 9 follow each other three times.
  const std::vector<std::int32_t> train(digits.train.labels.begin(),
                                        digits.train.labels.begin() + 8);
  EXPECT_EQ(train, (std::vector<std::int32_t>{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(digits.test.labels[0], 4);
  EXPECT_EQ(digits.test.labels[1], 9);
}

TEST(Digits8x8Test, HavePixelsFromZeroToOne) {
  const Dataset digits = digits8x8();
  bool white = false;
  for (const float pixel : digits.train.images.data<float>()) {
    EXPECT_GE(pixel, 0);
    EXPECT_LE(pixel, 1);
    white = white || pixel == 1;
  }
  EXPECT_TRUE(white);
}

}  // namespace
}  // namespace weft::data
