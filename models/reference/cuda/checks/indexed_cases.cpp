#include "models/reference/cuda/checks/operator_cases.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;

using Cases = std::vector<OperatorCase>;
using Ints = std::vector<std::int64_t>;

/// Draws an index into a dimension, also counted from its end.
std::int64_t index_into(Generator& generator, std::int64_t extent) {
  return between(generator, -extent, extent - 1);
}

/// Indices for GatherElements and ScatterElements: no larger than the data beside the axis.
Tensor element_indices(Generator& generator, const Shape& data, std::int64_t axis) {
  Shape shape = data;
  for (std::int64_t& extent : shape) extent = between(generator, 1, extent);
  const auto at = static_cast<std::size_t>(axis);
  shape[at] = between(generator, 1, 6);
  Ints indices(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::int64_t& index : indices) index = index_into(generator, data[at]);
  return Tensor::of(shape, indices);
}

/// Tuples of `length` indices into the dimensions from `first` on. `shape` is theirs without the
/// tuples.
Tensor tuples(Generator& generator, const Shape& data, std::size_t first, std::int64_t length,
              Shape shape) {
  Ints indices;
  for (std::int64_t i = graph::element_count(shape); i > 0; --i) {
    for (std::int64_t d = 0; d < length; ++d) {
      indices.push_back(index_into(generator, data[first + static_cast<std::size_t>(d)]));
    }
  }
  shape.push_back(length);
  return Tensor::of(shape, indices);
}

/// A type and a reduction that the device takes for it.
struct Update {
  DataType type;
  std::string reduction;
};

Update random_update(Generator& generator) {
  const char* const reductions[] = {"none", "none", "add", "mul", "max", "min"};
  const std::string reduction = reductions[between(generator, 0, 5)];
  return {reduction == "none" ? random_type(generator) : DataType::kFloat32, reduction};
}

Tensor elements(Generator& generator, DataType type, const Shape& shape) {
  return type == DataType::kFloat32 ? special_tensor(generator, shape)
                                    : raw_tensor(generator, type, shape);
}

OperatorCase gather_elements(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 4));
  const std::int64_t axis = between(generator, 0, std::ssize(shape) - 1);
  return CaseBuilder(Op::kGatherElements)
      .input(any_tensor(generator, shape))
      .input(element_indices(generator, shape, axis))
      .set("axis", axis)
      .build();
}

OperatorCase gather_nd(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 4));
  const std::int64_t rank = std::ssize(shape);
  const std::int64_t batch = between(generator, 0, rank - 1);
  Shape places(shape.begin(), shape.begin() + batch);
  for (std::int64_t d = between(generator, 0, 2); d > 0; --d) {
    places.push_back(between(generator, 1, 4));
  }
  const std::int64_t length = between(generator, 1, rank - batch);
  return CaseBuilder(Op::kGatherNd)
      .input(any_tensor(generator, shape))
      .input(tuples(generator, shape, static_cast<std::size_t>(batch), length, places))
      .set("batch_dims", batch)
      .build();
}

// Draws several updates of one element: their order counts.
OperatorCase scatter_elements(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 4));
  const std::int64_t axis = between(generator, 0, std::ssize(shape) - 1);
  const Update update = random_update(generator);
  const Tensor indices = element_indices(generator, shape, axis);
  return CaseBuilder(Op::kScatterElements)
      .input(elements(generator, update.type, shape))
      .input(indices)
      .input(elements(generator, update.type, indices.shape()))
      .set("axis", axis)
      .set("reduction", update.reduction)
      .build();
}

OperatorCase scatter_nd(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 4));
  const std::int64_t length = between(generator, 1, std::ssize(shape));
  const Update update = random_update(generator);
  Shape places = random_shape(generator, between(generator, 0, 2));
  const Tensor indices = tuples(generator, shape, 0, length, places);
  places.insert(places.end(), shape.begin() + length, shape.end());
  return CaseBuilder(Op::kScatterNd)
      .input(elements(generator, update.type, shape))
      .input(indices)
      .input(elements(generator, update.type, places))
      .set("reduction", update.reduction)
      .build();
}

}  // namespace

Cases indexed_cases(Generator& generator) {
  Cases cases;
  for (const auto make : {gather_elements, gather_nd, scatter_elements, scatter_nd}) {
    cases.push_back(make(generator));
  }
  return cases;
}

}  // namespace weft::cuda
