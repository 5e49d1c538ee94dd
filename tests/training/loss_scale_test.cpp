#include "models/training/loss_scale.h"

#include <gtest/gtest.h>

namespace weft::training {
namespace {

TEST(LossScaleTest, BeginsAtTwoToTheSixteenth) {
  EXPECT_EQ(LossScale().factor, 65536);
}

TEST(LossScaleTest, HalvesOnOverflowAndCountsTheStep) {
  LossScale scale;
  EXPECT_TRUE(scale.reject());
  EXPECT_EQ(scale.factor, 32768);
  EXPECT_EQ(scale.skipped, 1U);
}

TEST(LossScaleTest, DoublesAfterTwoThousandGoodStepsAndNotBefore) {
  LossScale scale;
  for (int i = 0; i < 1999; ++i) scale.accept();
  EXPECT_EQ(scale.factor, 65536);
  scale.accept();
  EXPECT_EQ(scale.factor, 131072);
  EXPECT_EQ(scale.good_steps, 0U);
}

TEST(LossScaleTest, CountsGoodStepsAnewAfterAnOverflow) {
  LossScale scale;
  for (int i = 0; i < 1999; ++i) scale.accept();
  scale.reject();
  scale.accept();
  EXPECT_EQ(scale.factor, 32768);
}

TEST(LossScaleTest, StaysBelowItsLargest) {
  LossScale scale;
  for (int i = 0; i < 2000 * 20; ++i) scale.accept();
  EXPECT_EQ(scale.factor, 16777216);
}

TEST(LossScaleTest, SaysWhenNoScaleIsLeftToTakeAway) {
  LossScale scale;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(scale.reject());
  EXPECT_EQ(scale.factor, 1);
  EXPECT_FALSE(scale.reject());
  EXPECT_EQ(scale.skipped, 16U);
}

}  // namespace
}  // namespace weft::training
