#include <algorithm>
#include <numeric>

#include "models/reference/cuda/checks/operator_cases.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;

using Cases = std::vector<OperatorCase>;
using Ints = std::vector<std::int64_t>;

OperatorCase transpose(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 5));
  Ints order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, generator);
  CaseBuilder node(Op::kTranspose);
  node.input(any_tensor(generator, shape));
  if (coin(generator)) node.set("perm", order);
  return node.build();
}

// Draws starts and ends beyond the dimension, and steps of both signs.
OperatorCase slice(Generator& generator) {
  const Shape shape = random_shape(generator, 3, 8);
  Ints starts;
  Ints ends;
  Ints steps;
  for (const std::int64_t extent : shape) {
    starts.push_back(between(generator, -extent - 1, extent));
    ends.push_back(between(generator, -extent - 1, extent + 1));
    steps.push_back(coin(generator) ? between(generator, 1, 3) : -between(generator, 1, 3));
  }
  return CaseBuilder(Op::kSlice)
      .input(any_tensor(generator, shape))
      .constant(Tensor::vector(starts))
      .constant(Tensor::vector(ends))
      .constant(Tensor::vector(Ints{0, 1, 2}))
      .constant(Tensor::vector(steps))
      .build();
}

OperatorCase expand(Generator& generator) {
  const Shape shape = random_shape(generator, 4);
  return CaseBuilder(Op::kExpand)
      .input(any_tensor(generator, broadcasting(generator, shape)))
      .constant(Tensor::vector(shape))
      .build();
}

OperatorCase tile(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 4), 4);
  const auto rank = static_cast<std::int64_t>(shape.size());
  return CaseBuilder(Op::kTile)
      .input(any_tensor(generator, shape))
      .constant(Tensor::vector(random_shape(generator, rank, 3)))
      .build();
}

OperatorCase concat(Generator& generator) {
  Shape shape = random_shape(generator, 3);
  const std::int64_t axis = between(generator, -3, 2);
  const DataType type = random_type(generator);
  CaseBuilder node(Op::kConcat);
  for (std::int64_t i = between(generator, 1, 4); i > 0; --i) {
    shape[static_cast<std::size_t>((axis + 3) % 3)] = between(generator, 0, 4);
    node.input(raw_tensor(generator, type, shape));
  }
  return node.set("axis", axis).build();
}

OperatorCase split(Generator& generator) {
  const Ints sizes = random_shape(generator, 3, 4);
  Shape shape = random_shape(generator, 3);
  shape[1] = sizes[0] + sizes[1] + sizes[2];
  return CaseBuilder(Op::kSplit)
      .input(any_tensor(generator, shape))
      .constant(Tensor::vector(sizes))
      .set("axis", std::int64_t{1})
      .build(3);
}

OperatorCase gather(Generator& generator) {
  const Shape shape = random_shape(generator, 3);
  const std::int64_t axis = between(generator, 0, 2);
  const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
  const Shape index_shape = random_shape(generator, between(generator, 0, 2));
  Ints indices(static_cast<std::size_t>(graph::element_count(index_shape)));
  for (std::int64_t& index : indices) index = between(generator, -extent, extent - 1);
  return CaseBuilder(Op::kGather)
      .input(any_tensor(generator, shape))
      .input(Tensor::of(index_shape, indices))
      .set("axis", axis)
      .build();
}

// Draws pads of both signs. Negative pads remove elements, sometimes all of them.
OperatorCase pad(Generator& generator) {
  const Shape shape = random_shape(generator, 3);
  Ints pads;
  for (int side = 0; side < 2; ++side) {
    for (const std::int64_t extent : shape) pads.push_back(between(generator, -extent / 2, 3));
  }
  const DataType type = random_type(generator);
  CaseBuilder node(Op::kPad);
  node.input(raw_tensor(generator, type, shape)).constant(Tensor::vector(pads));
  if (coin(generator)) node.input(raw_tensor(generator, type, {}));
  return node.build();
}

OperatorCase same_elements(Generator& generator, Op op) {
  CaseBuilder node(op);
  node.input(op == Op::kDropout ? random_tensor(generator, {2, 1, 6})
                                : any_tensor(generator, {2, 1, 6}));
  if (op == Op::kReshape) node.constant(Tensor::vector(Ints{3, -1}));
  if (op == Op::kSqueeze || op == Op::kUnsqueeze) node.constant(Tensor::vector(Ints{1}));
  return node.build();
}

}  // namespace

Cases movement_cases(Generator& generator) {
  Cases cases;
  for (const Op op :
       {Op::kIdentity, Op::kDropout, Op::kReshape, Op::kFlatten, Op::kSqueeze, Op::kUnsqueeze}) {
    cases.push_back(same_elements(generator, op));
  }
  for (const auto make : {transpose, slice, expand, tile, concat, split, gather, pad}) {
    cases.push_back(make(generator));
  }
  return cases;
}

}  // namespace weft::cuda
