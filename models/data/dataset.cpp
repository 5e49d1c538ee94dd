#include "models/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "models/data/fingerprint.h"

namespace weft::data {
namespace {

using graph::Shape;
using graph::Tensor;

Shape without_ones(std::span<const std::int64_t> extents) {
  Shape shape;
  for (const std::int64_t extent : extents) {
    if (extent != 1) shape.push_back(extent);
  }
  return shape;
}

bool fits(const Shape& image, const Shape& input) {
  const std::span<const std::int64_t> extents = std::span(input).subspan(1);
  const bool flat = extents.size() == 1 && extents[0] == graph::element_count(image);
  return flat || without_ones(image) == without_ones(extents);
}

void check_labels(const Examples& examples, std::int64_t classes) {
  for (std::size_t i = 0; i < examples.labels.size(); ++i) {
    const std::int32_t label = examples.labels[i];
    if (label >= 0 && label < classes) continue;
    throw InputError(
        fmt::format("{}: label {} of image {} is out of range; the network has classes 0 to {}",
                    examples.source, label, i, classes - 1));
  }
}

void check_part(const Examples& examples, const Shape& shape, std::int64_t classes) {
  if (examples.count() == 0) throw InputError(examples.source + ": has no images; give some");
  if (shape.size() < 2 || !fits(examples.image_shape(), shape)) {
    const Shape wanted(shape.begin() + (shape.empty() ? 0 : 1), shape.end());
    throw InputError(fmt::format(
        "{}: images are {}, the network takes {}; choose a network for such images",
        examples.image_source, graph::to_string(examples.image_shape()), graph::to_string(wanted)));
  }
  check_labels(examples, classes);
}

void add(Fingerprint& sum, const Examples& examples) {
  for (const std::int64_t extent : examples.images.shape()) {
    sum.add(static_cast<std::uint64_t>(extent));
  }
  sum.add(examples.images.bytes());
  sum.add(std::as_bytes(std::span(examples.labels)));
}

}  // namespace

Shape Examples::image_shape() const {
  return {images.shape().begin() + 1, images.shape().end()};
}

void check_fits(const Dataset& data, const Shape& shape, std::int64_t classes) {
  check_part(data.train, shape, classes);
  check_part(data.test, shape, classes);
}

Tensor image_batch(const Examples& examples, std::span<const std::uint32_t> numbers,
                   const Shape& shape) {
  Tensor batch(graph::DataType::kFloat32, shape);
  const std::span<float> out = batch.mutable_data<float>();
  const std::span<const float> all = examples.images.data<float>();
  const std::size_t pixels = all.size() / examples.labels.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto image = all.subspan(numbers[i] * pixels, pixels);
    std::ranges::copy(image, out.subspan(i * pixels, pixels).begin());
  }
  return batch;
}

Tensor target_batch(const Examples& examples, std::span<const std::uint32_t> numbers,
                    std::int64_t batch, std::int64_t classes) {
  Tensor targets(graph::DataType::kFloat32, {batch, classes});
  const std::span<float> out = targets.mutable_data<float>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto label = static_cast<std::size_t>(examples.labels[numbers[i]]);
    out[i * static_cast<std::size_t>(classes) + label] = 1;
  }
  return targets;
}

std::uint64_t fingerprint(const Dataset& data) {
  Fingerprint sum;
  add(sum, data.train);
  add(sum, data.test);
  return sum.value();
}

}  // namespace weft::data
