#include "nn_test.h"

#include "compiler/graph/shapes/infer_outputs.h"
#include "models/reference/cpu/evaluate.h"

namespace weft::reference {

std::vector<Tensor> run(Op op, const Attributes& attributes,
                        const std::vector<OptionalTensor>& inputs, std::size_t count) {
  std::vector<const Tensor*> tensors;
  std::vector<graph::ValueType> types(inputs.size());
  std::vector<const graph::ValueType*> type_pointers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(inputs[i] ? &*inputs[i] : nullptr);
    if (inputs[i]) types[i] = inputs[i]->value_type();
    type_pointers.push_back(inputs[i] ? &types[i] : nullptr);
  }
  const auto outputs = graph::infer_outputs({op, attributes, type_pointers, tensors, count});
  std::vector<Tensor> results = evaluate({op, attributes, tensors, outputs});
  EXPECT_EQ(results.size(), outputs.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].value_type(), outputs[i]) << to_string(op) << " output " << i;
  }
  return results;
}

std::int64_t between(Generator& generator, std::int64_t low, std::int64_t high) {
  const auto choices = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(generator() % choices);
}

std::vector<double> values(const Tensor& tensor) {
  return graph::with_type(tensor.type(), [&]<class T>(T) -> std::vector<double> {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto data = tensor.data<T>();
      return {data.begin(), data.end()};
    }
    return {};
  });
}

std::vector<Ints> coordinates(const Shape& shape) {
  std::vector<Ints> all{{}};
  for (const std::int64_t extent : shape) {
    std::vector<Ints> longer;
    for (const Ints& prefix : all) {
      for (std::int64_t i = 0; i < extent; ++i) {
        longer.push_back(prefix);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::size_t offset(const Shape& shape, const Ints& at) {
  std::int64_t result = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) result = result * shape[d] + at[d];
  return static_cast<std::size_t>(result);
}

Shape joined(Shape head, const Shape& tail) {
  for (const std::int64_t extent : tail) head.push_back(extent);
  return head;
}

}  // namespace weft::reference
