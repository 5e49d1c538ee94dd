#include "compiler/onnx/codec/protobuf/node_attributes.h"

#include <fmt/format.h>

#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using graph::Attribute;
using ::onnx::AttributeProto;

graph::Tensor read_tensor(const AttributeProto& attribute) {
  ::onnx::TensorProto copy = attribute.t();
  return take_tensor(copy, {});
}

Attribute read_attribute(const AttributeProto& attribute) {
  if (!attribute.ref_attr_name().empty()) {
    throw InputError("refers to a function's attribute, outside a function");
  }
  switch (attribute.type()) {
    case AttributeProto::FLOAT:
      return attribute.f();
    case AttributeProto::INT:
      return attribute.i();
    case AttributeProto::STRING:
      return attribute.s();
    case AttributeProto::TENSOR:
      return read_tensor(attribute);
    case AttributeProto::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case AttributeProto::INTS:
      return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case AttributeProto::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    default:
      throw InputError(fmt::format("kind {} is not supported",
                                   AttributeProto::AttributeType_Name(attribute.type())));
  }
}

/// Writes each alternative of Attribute into the message.
struct AttributeWriter {
  AttributeProto& to;

  void operator()(std::int64_t value) const {
    to.set_type(AttributeProto::INT);
    to.set_i(value);
  }
  void operator()(float value) const {
    to.set_type(AttributeProto::FLOAT);
    to.set_f(value);
  }
  void operator()(const std::string& value) const {
    to.set_type(AttributeProto::STRING);
    to.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    to.set_type(AttributeProto::INTS);
    to.mutable_ints()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const {
    to.set_type(AttributeProto::FLOATS);
    to.mutable_floats()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<std::string>& values) const {
    to.set_type(AttributeProto::STRINGS);
    for (const std::string& value : values) to.add_strings(value);
  }
  void operator()(const graph::Tensor& value) const {
    to.set_type(AttributeProto::TENSOR);
    put_tensor(value, *to.mutable_t());
  }
};

}  // namespace

bool is_default_domain(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::string operator_name(const ::onnx::NodeProto& node) {
  if (is_default_domain(node.domain())) return node.op_type();
  return node.domain() + "::" + node.op_type();
}

std::string node_name(const ::onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return "";
}

std::string label_of(const ::onnx::NodeProto& node) {
  const std::string op = printable(operator_name(node));
  return fmt::format("{} ({})", labeled("node", node_name(node)), op.substr(1, op.size() - 2));
}

graph::Attributes read_attributes(const ::onnx::NodeProto& node) {
  graph::Attributes attributes;
  for (const AttributeProto& attribute : node.attribute()) {
    located(labeled("attribute", attribute.name()), [&] {
      if (attributes.has(attribute.name())) throw InputError("is given twice");
      attributes.set(attribute.name(), read_attribute(attribute));
    });
  }
  return attributes;
}

void put_attributes(const graph::Attributes& attributes, ::onnx::NodeProto& node) {
  for (const auto& [name, value] : attributes.entries()) {
    AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    std::visit(AttributeWriter{attribute}, value);
  }
}

}  // namespace weft::onnx_io
