// Labeled images for training and testing. Pixels are float32 in [0, 1]. A label is the number of
// the class that the image shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::data {

/// Images and their labels, one label per image.
struct Examples {
  graph::Tensor images;              // float32 [count, extents of an image...]
  std::vector<std::int32_t> labels;  // one per image
  std::string source;                // where the labels are from, for messages
  std::string image_source;          // where the images are from

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  /// The extents of one image.
  graph::Shape image_shape() const;
};

struct Dataset {
  std::string name;  // a folder, or the name of the embedded data
  Examples train;
  Examples test;
};

/// Throws InputError unless every image of both parts fits an input of `shape` [batch, ...] and
/// every label is one of `classes`. An image fits if it has the same extents, ignoring extents of
/// 1, or if the input has a single extent equal to the number of pixels. The message names the
/// source and what to do.
void check_fits(const Dataset& data, const graph::Shape& shape, std::int64_t classes);

/// The images with these numbers as a batch of `shape` [batch, ...]. Rows after the last number are
/// 0.
graph::Tensor image_batch(const Examples& examples, std::span<const std::uint32_t> numbers,
                          const graph::Shape& shape);
/// Their labels as one-hot rows [batch, classes]. Rows after the last number are 0.
graph::Tensor target_batch(const Examples& examples, std::span<const std::uint32_t> numbers,
                           std::int64_t batch, std::int64_t classes);

/// A 64-bit hash of all pixels and labels of both parts.
std::uint64_t fingerprint(const Dataset& data);

}  // namespace weft::data
