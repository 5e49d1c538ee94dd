#include "models/reference/cuda/checks/operator_cases.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "compiler/graph/builder/builder.h"
#include "compiler/graph/operator_table.h"

namespace weft::cuda {

using graph::DataType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

Closeness closeness_of(graph::Op op) {
  const auto& on_device = device_operator(op).function;
  return on_device ? on_device->closeness : Closeness::kBits;
}

CaseBuilder::CaseBuilder(graph::Op op) : op_(op), closeness_(closeness_of(op)) {}

CaseBuilder& CaseBuilder::input(const Tensor& tensor) {
  entries_.push_back({tensor, GivenInput::Kind::kInput});
  return *this;
}
CaseBuilder& CaseBuilder::constant(const Tensor& tensor) {
  entries_.push_back({tensor, GivenInput::Kind::kConstant});
  return *this;
}
CaseBuilder& CaseBuilder::none() {
  entries_.push_back({Tensor(), GivenInput::Kind::kNone});
  return *this;
}
CaseBuilder& CaseBuilder::set(const std::string& attribute, graph::Attribute value) {
  attributes_.set(attribute, std::move(value));
  return *this;
}
CaseBuilder& CaseBuilder::depth(std::int64_t products) {
  depth_ = products;
  return *this;
}

OperatorCase CaseBuilder::build(std::size_t outputs) const {
  OperatorCase result;
  result.closeness = closeness_;
  result.depth = depth_;
  graph::Builder builder("case");
  std::vector<ValueId> ids;
  for (const GivenInput& entry : entries_) {
    if (entry.kind == GivenInput::Kind::kInput) {
      const std::string name(1, static_cast<char>('a' + ids.size()));
      ids.push_back(builder.input(name, entry.tensor.value_type()));
      result.inputs[name] = entry.tensor;
    } else {
      const bool left_out = entry.kind == GivenInput::Kind::kNone;
      ids.push_back(left_out ? graph::kNoValue : builder.constant(entry.tensor));
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs; ++i)
    names.push_back(std::string(1, static_cast<char>('p' + i)));
  const std::vector<ValueId> results = builder.add(op_, ids, attributes_, "node", names);
  for (std::size_t i = 0; i < outputs; ++i) builder.output(results[i], names[i]);
  result.graph = builder.finish();
  return result;
}

Shape random_shape(Generator& generator, std::int64_t rank, std::int64_t most) {
  Shape shape;
  for (std::int64_t d = 0; d < rank; ++d) shape.push_back(between(generator, 1, most));
  return shape;
}

Shape broadcasting(Generator& generator, const Shape& shape) {
  Shape result = shape;
  for (std::int64_t& extent : result) {
    if (between(generator, 0, 2) == 0) extent = 1;
  }
  const std::int64_t left_out = between(generator, 0, static_cast<std::int64_t>(result.size()));
  if (coin(generator)) result.erase(result.begin(), result.begin() + left_out);
  return result;
}

Tensor random_tensor(Generator& generator, const Shape& shape) {
  return Tensor::of(shape, reals(generator, graph::element_count(shape)));
}

Tensor special_tensor(Generator& generator, const Shape& shape) {
  using Limits = std::numeric_limits<float>;
  const float specials[] = {0.0F,   -0.0F,         Limits::infinity(),  -Limits::infinity(),
                            1e-40F, -1e-40F,       Limits::quiet_NaN(), 1.0F,
                            -1.0F,  Limits::max(), Limits::lowest(),    Limits::min()};
  std::vector<float> values = reals(generator, graph::element_count(shape));
  for (float& value : values) {
    const std::int64_t choice = between(generator, 0, 3);
    if (choice == 0) value = specials[between(generator, 0, std::ssize(specials) - 1)];
    if (choice == 1) value *= 20.0F;
  }
  return Tensor::of(shape, values);
}

Tensor positive_tensor(Generator& generator, const Shape& shape) {
  std::vector<float> values = reals(generator, graph::element_count(shape));
  for (float& value : values) value = value * 0.5F + 0.75F;
  return Tensor::of(shape, values);
}

Tensor raw_tensor(Generator& generator, DataType type, const Shape& shape) {
  Tensor tensor(type, shape);
  for (std::byte& byte : tensor.mutable_bytes()) {
    byte = static_cast<std::byte>(between(generator, 0, type == DataType::kBool ? 1 : 255));
  }
  return tensor;
}

DataType random_type(Generator& generator) {
  constexpr DataType kTypes[] = {DataType::kInt8, DataType::kFloat16, DataType::kFloat32,
                                 DataType::kInt64};
  return kTypes[between(generator, 0, 3)];
}

Tensor any_tensor(Generator& generator, const Shape& shape) {
  return raw_tensor(generator, random_type(generator), shape);
}

}  // namespace weft::cuda
