#include "compiler/onnx/codec/constants.h"

#include <utility>

#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using graph::Tensor;

template <class T, class Field>
Tensor vector_of(const Field& field) {
  return Tensor::vector(std::vector<T>(field.begin(), field.end()));
}

/// The value in a Constant node's only attribute: a tensor, or the message with the tensor.
std::variant<::onnx::TensorProto*, Tensor> constant_value(::onnx::AttributeProto& attribute) {
  const std::string& name = attribute.name();
  if (name == "value" && attribute.has_t()) return attribute.mutable_t();
  if (name == "value_float") return Tensor::scalar<float>(attribute.f());
  if (name == "value_int") return Tensor::scalar<std::int64_t>(attribute.i());
  if (name == "value_floats") return vector_of<float>(attribute.floats());
  if (name == "value_ints") return vector_of<std::int64_t>(attribute.ints());
  throw InputError(labeled("attribute", name) + " is not supported");
}

}  // namespace

bool is_constant_node(const ::onnx::NodeProto& node) {
  return node.op_type() == "Constant" && is_default_domain(node.domain());
}

Constants::Constants(::onnx::GraphProto& model, DataFolder folder) : folder_(std::move(folder)) {
  if (model.sparse_initializer_size() > 0) {
    throw InputError(labeled("sparse initializer", model.sparse_initializer(0).values().name()) +
                     ": sparse tensors are not supported");
  }
  for (auto& tensor : *model.mutable_initializer()) {
    add(tensor.name(), {labeled("initializer", tensor.name()), &tensor});
  }
  for (auto& node : *model.mutable_node()) {
    if (is_constant_node(node)) add_node(node);
  }
}

void Constants::add(const std::string& name, NamedConstant entry) {
  const auto [at, added] = entries_.emplace(name, std::move(entry));
  if (!added) throw InputError(at->second.label + ": another constant has the same name");
}

void Constants::add_node(::onnx::NodeProto& node) {
  const std::string label = label_of(node);
  located(label, [&] {
    if (node.output_size() != 1 || node.attribute_size() != 1 || node.input_size() != 0) {
      throw InputError("needs no input, one output and one attribute");
    }
  });
  add(node.output(0),
      {label, located(label, [&] { return constant_value(*node.mutable_attribute(0)); })});
}

const Tensor& Constants::get(const std::string& name) {
  NamedConstant& entry = entries_.at(name);
  if (auto* const* proto = std::get_if<::onnx::TensorProto*>(&entry.value)) {
    entry.value = located(entry.label, [&] { return take_tensor(**proto, folder_); });
  }
  return std::get<Tensor>(entry.value);
}

}  // namespace weft::onnx_io
