#include "models/reference/cuda/checks/operator_cases.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;

using Cases = std::vector<OperatorCase>;

// Special values can occur at every position of x.
OperatorCase unary(Generator& generator, Op op) {
  const Shape shape = random_shape(generator, between(generator, 0, 4), 9);
  CaseBuilder node(op);
  node.input(special_tensor(generator, shape));
  float value = 0.3F;
  for (const graph::Parameter& parameter : graph::operator_of(op).parameters) {
    if (coin(generator)) node.set(std::string(parameter.attribute), value);
    value += 0.5F;
  }
  return node.build();
}

OperatorCase clip(Generator& generator) {
  CaseBuilder node(Op::kClip);
  node.input(special_tensor(generator, random_shape(generator, 3)));
  const std::int64_t bounds = between(generator, 0, 3);
  bounds % 2 == 0 ? node.none() : node.input(Tensor::scalar(-0.25F));
  if (bounds / 2 != 0) node.constant(Tensor::scalar(0.5F));
  return node.build();
}

/// Adds two operands that broadcast to a common shape. Either may be the smaller one.
template <class Draw>
CaseBuilder& operands(Generator& generator, CaseBuilder& node, Draw draw) {
  const Shape shape = random_shape(generator, between(generator, 1, 5), 4);
  const Shape other = broadcasting(generator, shape);
  const bool turned = coin(generator);
  return node.input(draw(generator, turned ? other : shape))
      .input(draw(generator, turned ? shape : other));
}

OperatorCase binary(Generator& generator, Op op) {
  CaseBuilder node(op);
  return operands(generator, node, special_tensor).build();
}

OperatorCase prelu(Generator& generator) {
  const Shape shape = random_shape(generator, 3);
  return CaseBuilder(Op::kPRelu)
      .input(special_tensor(generator, shape))
      .input(special_tensor(generator, broadcasting(generator, shape)))
      .build();
}

OperatorCase power(Generator& generator) {
  CaseBuilder node(Op::kPow);
  operands(generator, node, positive_tensor);
  return node.build();
}

OperatorCase variadic(Generator& generator, Op op) {
  const Shape shape = random_shape(generator, 4);
  CaseBuilder node(op);
  node.input(special_tensor(generator, shape));
  for (std::int64_t i = between(generator, 0, 2); i > 0; --i) {
    node.input(special_tensor(generator, broadcasting(generator, shape)));
  }
  return node.build();
}

Tensor few_integers(Generator& generator, const Shape& shape) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (std::int64_t& value : values) value = between(generator, -2, 2);
  return Tensor::of(shape, values);
}

Tensor bools(Generator& generator, const Shape& shape) {
  return raw_tensor(generator, DataType::kBool, shape);
}

OperatorCase comparison(Generator& generator, Op op) {
  CaseBuilder node(op);
  return coin(generator) ? operands(generator, node, special_tensor).build()
                         : operands(generator, node, few_integers).build();
}

OperatorCase where(Generator& generator) {
  constexpr DataType kTypes[] = {DataType::kBool, DataType::kFloat16, DataType::kFloat32,
                                 DataType::kInt64};
  const DataType type = kTypes[between(generator, 0, 3)];
  const Shape shape = random_shape(generator, 4);
  return CaseBuilder(Op::kWhere)
      .input(bools(generator, broadcasting(generator, shape)))
      .input(raw_tensor(generator, type, shape))
      .input(raw_tensor(generator, type, broadcasting(generator, shape)))
      .build();
}

OperatorCase cast(Generator& generator) {
  struct CastTypes {
    DataType from;
    std::int64_t to;  // ONNX's type number
  };
  constexpr CastTypes kPairs[] = {{DataType::kBool, 1},
                                  {DataType::kInt32, 1},
                                  {DataType::kInt64, 1},
                                  {DataType::kFloat32, 9},
                                  {DataType::kFloat32, 1}};
  const CastTypes pair = kPairs[between(generator, 0, 4)];
  const Shape shape = random_shape(generator, 3);
  const bool from_float = pair.from == DataType::kFloat32;
  return CaseBuilder(Op::kCast)
      .input(from_float ? special_tensor(generator, shape)
                        : raw_tensor(generator, pair.from, shape))
      .set("to", pair.to)
      .build();
}

}  // namespace

Cases elementwise_cases(Generator& generator) {
  Cases cases;
  for (const Op op : graph::operators_with(graph::Trait::kFunction)) {
    if (op != Op::kClip) cases.push_back(unary(generator, op));
  }
  for (const Op op :
       {Op::kSin, Op::kCos, Op::kRound, Op::kFloor, Op::kCeil, Op::kSign, Op::kIsNan, Op::kIsInf}) {
    cases.push_back(unary(generator, op));
  }
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv}) {
    cases.push_back(binary(generator, op));
  }
  CaseBuilder remainder(Op::kMod);
  remainder.set("fmod", std::int64_t{1});
  cases.push_back(operands(generator, remainder, special_tensor).build());
  for (const Op op : {Op::kMin, Op::kMax, Op::kMean, Op::kSum}) {
    cases.push_back(variadic(generator, op));
  }
  for (const Op op : {Op::kEqual, Op::kLess, Op::kGreater}) {
    cases.push_back(comparison(generator, op));
  }
  for (const Op op : {Op::kAnd, Op::kOr, Op::kXor}) {
    CaseBuilder node(op);
    cases.push_back(operands(generator, node, bools).build());
  }
  cases.push_back(
      CaseBuilder(Op::kNot).input(bools(generator, random_shape(generator, 2))).build());
  cases.push_back(clip(generator));
  cases.push_back(prelu(generator));
  cases.push_back(power(generator));
  cases.push_back(where(generator));
  cases.push_back(cast(generator));
  return cases;
}

}  // namespace weft::cuda
