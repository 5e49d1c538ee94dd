#include "models/reference/cuda/checks/operator_cases.h"

namespace weft::cuda {
namespace {

using graph::Op;
using graph::Shape;
using graph::Tensor;

using Cases = std::vector<OperatorCase>;
using Ints = std::vector<std::int64_t>;

/// Draws some of the dimensions, some of them counted from the back.
Ints random_axes(Generator& generator, std::int64_t rank) {
  Ints axes;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (coin(generator)) axes.push_back(coin(generator) ? d : d - rank);
  }
  return axes;
}

OperatorCase reduce(Generator& generator, Op op, const Shape& shape) {
  const bool extremum = op == Op::kReduceMax || op == Op::kReduceMin;
  CaseBuilder node(op);
  node.input(extremum ? special_tensor(generator, shape) : random_tensor(generator, shape));
  const Ints axes = random_axes(generator, static_cast<std::int64_t>(shape.size()));
  if (op == Op::kReduceSum) {
    node.constant(Tensor::vector(axes));
    if (coin(generator)) node.set("noop_with_empty_axes", std::int64_t{1});
  } else if (!axes.empty()) {
    node.set("axes", axes);
  }
  return node.set("keepdims", between(generator, 0, 1)).build();
}

std::int64_t random_axis(Generator& generator, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  return between(generator, -rank, rank - 1);
}

OperatorCase along_axis(Generator& generator, Op op, const Shape& shape) {
  return CaseBuilder(op)
      .input(random_tensor(generator, shape))
      .set("axis", random_axis(generator, shape))
      .build();
}

OperatorCase arg_extreme(Generator& generator, Op op) {
  const Shape shape = random_shape(generator, 3);
  return CaseBuilder(op)
      .input(special_tensor(generator, shape))
      .set("axis", random_axis(generator, shape))
      .set("keepdims", between(generator, 0, 1))
      .set("select_last_index", between(generator, 0, 1))
      .build();
}

OperatorCase cum_sum(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 1, 4), 9);
  const std::int64_t axis = random_axis(generator, shape);
  return CaseBuilder(Op::kCumSum)
      .input(random_tensor(generator, shape))
      .input(Tensor::scalar(axis))
      .set("exclusive", between(generator, 0, 1))
      .set("reverse", between(generator, 0, 1))
      .build();
}

OperatorCase batch_normalization(Generator& generator) {
  const Shape shape = random_shape(generator, between(generator, 2, 5));
  const Shape channels{shape[1]};
  return CaseBuilder(Op::kBatchNormalization)
      .input(random_tensor(generator, shape))
      .constant(random_tensor(generator, channels))
      .constant(random_tensor(generator, channels))
      .input(random_tensor(generator, channels))
      .input(positive_tensor(generator, channels))
      .set("epsilon", 1e-3F)
      .build();
}

OperatorCase instance_normalization(Generator& generator) {
  Shape shape = random_shape(generator, between(generator, 3, 5));
  if (coin(generator)) shape.back() = 2000;
  const Shape channels{shape[1]};
  return CaseBuilder(Op::kInstanceNormalization)
      .input(random_tensor(generator, shape))
      .input(random_tensor(generator, channels))
      .input(random_tensor(generator, channels))
      .build();
}

OperatorCase layer_normalization(Generator& generator) {
  const Shape shape = random_shape(generator, 3, 9);
  const std::int64_t axis = between(generator, 0, 2);
  const Shape run(shape.begin() + axis, shape.end());
  CaseBuilder node(Op::kLayerNormalization);
  node.input(random_tensor(generator, shape)).constant(random_tensor(generator, run));
  if (coin(generator)) node.constant(random_tensor(generator, run));
  return node.set("axis", axis).build(3);
}

OperatorCase lrn(Generator& generator) {
  return CaseBuilder(Op::kLrn)
      .input(random_tensor(generator, random_shape(generator, 4, 7)))
      .set("size", between(generator, 1, 5))
      .set("alpha", 0.5F)
      .build();
}

}  // namespace

Cases reduction_cases(Generator& generator) {
  Cases cases;
  for (const Op op :
       {Op::kReduceMean, Op::kReduceSum, Op::kReduceProd, Op::kReduceMax, Op::kReduceMin}) {
    cases.push_back(reduce(generator, op, random_shape(generator, between(generator, 1, 5))));
    // Long enough to be summed in pieces.
    cases.push_back(reduce(
        generator, op,
        {between(generator, 1000, 3000), between(generator, 1, 3), between(generator, 1, 9)}));
  }
  for (const Op op : {Op::kSoftmax, Op::kLogSoftmax}) {
    cases.push_back(
        along_axis(generator, op, random_shape(generator, between(generator, 1, 4), 9)));
    cases.push_back(along_axis(generator, op, {2, between(generator, 1000, 2000)}));
  }
  cases.push_back(arg_extreme(generator, Op::kArgMax));
  cases.push_back(arg_extreme(generator, Op::kArgMin));
  cases.push_back(cum_sum(generator));
  cases.push_back(batch_normalization(generator));
  cases.push_back(instance_normalization(generator));
  cases.push_back(layer_normalization(generator));
  cases.push_back(lrn(generator));
  return cases;
}

}  // namespace weft::cuda
