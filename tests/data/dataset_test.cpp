#include "models/data/dataset.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace weft::data {
namespace {

using graph::Tensor;

/// Returns images of 1 x 2 pixels. Image i has the values 10 i and 10 i + 1.
Examples pairs(std::vector<std::int32_t> labels) {
  Examples examples;
  std::vector<float> pixels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    pixels.push_back(static_cast<float>(10 * i));
    pixels.push_back(static_cast<float>(10 * i + 1));
  }
  examples.images = Tensor::of<float>({static_cast<std::int64_t>(labels.size()), 1, 2}, pixels);
  examples.labels = std::move(labels);
  examples.source = "labels";
  examples.image_source = "here";
  return examples;
}

std::string message(const Dataset& data, const graph::Shape& shape, std::int64_t classes) {
  try {
    check_fits(data, shape, classes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DatasetTest, FitsInputsOfTheSamePixels) {
  const Dataset data = {"pairs", pairs({0, 1}), pairs({1})};
  EXPECT_EQ(message(data, {7, 2}, 2), "");
  EXPECT_EQ(message(data, {7, 1, 1, 2}, 2), "");
  EXPECT_EQ(message(data, {7, 2, 1}, 2), "");
  EXPECT_EQ(message(data, {7, 3}, 2),
            "here: images are 1x2, the network takes 3; choose a network for such images");
  EXPECT_NE(message(data, {7, 2, 2}, 2), "");
}

TEST(DatasetTest, RefusesLabelsThatAreNoClass) {
  const std::string expected =
      "labels: label 2 of image 1 is out of range; the network has classes 0 to 1";
  EXPECT_EQ(message({"pairs", pairs({0, 2}), pairs({1})}, {1, 2}, 2), expected);
  EXPECT_EQ(message({"pairs", pairs({0}), pairs({1, 2})}, {1, 2}, 2), expected);
  EXPECT_NE(message({"pairs", pairs({0, -1}), pairs({1})}, {1, 2}, 2), "");
  EXPECT_NE(message({"pairs", pairs({0}), pairs({})}, {1, 2}, 2), "");
}

TEST(DatasetTest, MakesBatchesOfTheImagesNamed) {
  const Examples examples = pairs({2, 0, 1});
  const std::vector<std::uint32_t> numbers = {2, 0};
  EXPECT_EQ(image_batch(examples, numbers, {3, 1, 1, 2}),
            Tensor::of<float>({3, 1, 1, 2}, {20, 21, 0, 1, 0, 0}));
  EXPECT_EQ(target_batch(examples, numbers, 3, 3),
            Tensor::of<float>({3, 3}, {0, 1, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(DatasetTest, HasAFingerprintOfItsPixelsLabelsAndShapes) {
  const Dataset data = {"pairs", pairs({0, 1}), pairs({1})};
  const std::uint64_t whole = fingerprint(data);
  EXPECT_EQ(whole, fingerprint({"another name", pairs({0, 1}), pairs({1})}));
  EXPECT_NE(whole, fingerprint({"pairs", pairs({1, 1}), pairs({1})}));
  EXPECT_NE(whole, fingerprint({"pairs", pairs({0, 1}), pairs({0})}));
  Dataset other = data;
  other.test.images.mutable_data<float>()[1] = 1.5F;
  EXPECT_NE(whole, fingerprint(other));
  other = data;
  other.train.images = other.train.images.reshaped({2, 2, 1});
  EXPECT_NE(whole, fingerprint(other));
}

}  // namespace
}  // namespace weft::data
