// Compares the arithmetic of measurements with published figures.
#include "models/reference/cuda/device/rates.h"

#include <gtest/gtest.h>

namespace weft::cuda {
namespace {

double peak_tera(MatmulType type, int major, int minor, int multiprocessors, double mhz) {
  return operations_per_cycle(type, major, minor) * multiprocessors * mhz * 1e6 / 1e12;
}

// Dense peaks from NVIDIA's data sheets.
TEST(CudaRatesTest, GivesThePublishedPeaks) {
  EXPECT_NEAR(peak_tera(MatmulType::kFp16, 7, 5, 72, 1770), 130.5, 0.1);  // Titan RTX
  EXPECT_NEAR(peak_tera(MatmulType::kFloat32, 7, 5, 72, 1770), 16.3, 0.1);
  EXPECT_NEAR(peak_tera(MatmulType::kFloat32, 8, 0, 108, 1410), 19.5, 0.1);  // A100
  EXPECT_NEAR(peak_tera(MatmulType::kTf32, 8, 0, 108, 1410), 156, 0.5);
  EXPECT_NEAR(peak_tera(MatmulType::kBf16, 8, 0, 108, 1410), 312, 0.5);
  EXPECT_NEAR(peak_tera(MatmulType::kInt8, 8, 0, 108, 1410), 624, 0.5);
  EXPECT_NEAR(peak_tera(MatmulType::kFp16, 9, 0, 132, 1830), 989, 1);  // H100 SXM
  EXPECT_NEAR(peak_tera(MatmulType::kTf32, 9, 0, 132, 1830), 494.7, 0.5);
  EXPECT_NEAR(peak_tera(MatmulType::kInt8, 9, 0, 132, 1830), 1979, 1);
  EXPECT_NEAR(peak_tera(MatmulType::kFp16, 8, 6, 82, 1695), 71, 0.5);      // RTX 3090
  EXPECT_NEAR(peak_tera(MatmulType::kFp16, 8, 9, 128, 2520), 165.2, 0.5);  // RTX 4090
}

TEST(CudaRatesTest, SaysThatItDoesNotKnowADevice) {
  EXPECT_EQ(operations_per_cycle(MatmulType::kFp16, 3, 5), 0);
  EXPECT_EQ(operations_per_cycle(MatmulType::kBf16, 7, 5), 0);  // Turing has none
}

TEST(CudaRatesTest, TakesTheMiddleValue) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
  EXPECT_EQ(median({5}), 5);
}

TEST(CudaRatesTest, RepeatsShortProductsAndNotLongOnes) {
  EXPECT_EQ(products_per_sample(1e-5), 100);
  EXPECT_EQ(products_per_sample(0.1), 1);
  EXPECT_EQ(products_per_sample(1e-9), 1000);
  EXPECT_EQ(products_per_sample(0), 1000);
}

}  // namespace
}  // namespace weft::cuda
