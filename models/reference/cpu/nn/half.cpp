#include "models/reference/cpu/nn/half.h"

#include <algorithm>

#include "pe/float_formats.h"

namespace weft::reference {

Tensor widened(const Tensor& tensor) {
  Tensor result(DataType::kFloat32, tensor.shape());
  std::ranges::transform(tensor.data<graph::Half>(), result.mutable_data<float>().begin(),
                         [](graph::Half half) { return to_float(Fp16{half.bits}); });
  return result;
}

Tensor narrowed(const Tensor& tensor) {
  Tensor result(DataType::kFloat16, tensor.shape());
  std::ranges::transform(tensor.data<float>(), result.mutable_data<graph::Half>().begin(),
                         [](float value) { return graph::Half{to_fp16(value).bits}; });
  return result;
}

bool has_half(const NodeCall& call) {
  return std::ranges::any_of(call.inputs, [](const Tensor* tensor) {
    return tensor != nullptr && tensor->type() == DataType::kFloat16;
  });
}

Tensors evaluate_widened(const NodeCall& call, Tensors (*evaluate)(const NodeCall& call)) {
  Tensors copies;
  copies.reserve(call.inputs.size());  // the pointers below stay valid
  std::vector<const Tensor*> inputs(call.inputs.begin(), call.inputs.end());
  for (const Tensor*& tensor : inputs) {
    if (tensor == nullptr || tensor->type() != DataType::kFloat16) continue;
    tensor = &copies.emplace_back(widened(*tensor));
  }
  std::vector<graph::ValueType> outputs(call.outputs.begin(), call.outputs.end());
  for (graph::ValueType& type : outputs) {
    if (type.type == DataType::kFloat16) type.type = DataType::kFloat32;
  }
  Tensors results = evaluate({call.op, call.attributes, inputs, outputs});
  for (std::size_t i = 0; i < results.size() && i < call.outputs.size(); ++i) {
    if (call.outputs[i].type == DataType::kFloat16) results[i] = narrowed(results[i]);
  }
  return results;
}

}  // namespace weft::reference
