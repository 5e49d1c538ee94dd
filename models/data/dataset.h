// Labelled images to learn from and to be judged by. Pixels are float32 in [0, 1]; a label is the
// number of the class that the image shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::data {

/// Images and their labels, one each.
struct Examples {
  graph::Tensor images;              // float32 [count, extents of an image...]
  std::vector<std::int32_t> labels;  // as many
  std::string source;                // where the labels are from, for messages
  std::string image_source;          // where the images are from

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  /// The extents of one image.
  graph::Shape image_shape() const;
};

struct Dataset {
  std::string name;  // a folder, or what is embedded
  Examples train;
  Examples test;
};

/// Throws InputError unless every image of both parts fits an input of `shape` [batch, ...] (the
/// same extents, those of 1 apart, or one extent of as many pixels), and every label is one of
/// `classes`. The message names the source and what to do.
void check_fits(const Dataset& data, const graph::Shape& shape, std::int64_t classes);

/// The images of these numbers as a batch of `shape` [batch, ...]; rows beyond the numbers are 0.
graph::Tensor image_batch(const Examples& examples, std::span<const std::uint32_t> numbers,
                          const graph::Shape& shape);
/// Their labels as rows [batch, classes] with a one in the label's column; rows beyond are 0.
graph::Tensor target_batch(const Examples& examples, std::span<const std::uint32_t> numbers,
                           std::int64_t batch, std::int64_t classes);

/// 64 bits that all pixels and labels of both parts decide.
std::uint64_t fingerprint(const Dataset& data);

}  // namespace weft::data
