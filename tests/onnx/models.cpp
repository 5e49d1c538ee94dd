#include "tests/onnx/models.h"

#include <unistd.h>

#include <fstream>
#include <span>

namespace weft::onnx_io::testing_support {
namespace {

::onnx::AttributeProto& add_attribute(NodeProto& node, const std::string& name,
                                      ::onnx::AttributeProto::AttributeType type) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

}  // namespace

Model::Model(std::int64_t opset) {
  proto_.set_ir_version(8);
  proto_.add_opset_import()->set_version(opset);
  proto_.mutable_graph()->set_name("test");
}

Model& Model::input(const std::string& name, const std::vector<Dim>& shape,
                    TensorProto::DataType type) {
  auto& value = *graph().add_input();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const Dim& dim : shape) {
    auto& added = *tensor.mutable_shape()->add_dim();
    const auto* const extent = std::get_if<std::int64_t>(&dim);
    if (extent != nullptr) {
      added.set_dim_value(*extent);
    } else if (!std::get<std::string>(dim).empty()) {
      added.set_dim_param(std::get<std::string>(dim));
    }
  }
  return *this;
}

Model& Model::output(const std::string& name, TensorProto::DataType type) {
  auto& value = *graph().add_output();
  value.set_name(name);
  value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return *this;
}

TensorProto& Model::initializer(const std::string& name, TensorProto::DataType type,
                                const std::vector<std::int64_t>& dims) {
  TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

Model& Model::floats(const std::string& name, const std::vector<float>& values) {
  TensorProto& tensor =
      initializer(name, TensorProto::FLOAT, {static_cast<std::int64_t>(values.size())});
  for (const float value : values) tensor.add_float_data(value);
  return *this;
}

Model& Model::ints(const std::string& name, const std::vector<std::int64_t>& values) {
  TensorProto& tensor =
      initializer(name, TensorProto::INT64, {static_cast<std::int64_t>(values.size())});
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return *this;
}

NodeProto& Model::node(const std::string& op, const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
  NodeProto& node = *graph().add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

graph::Graph Model::import(const ImportOptions& options) const {
  return import_text(bytes(), options);
}

void set(NodeProto& node, const std::string& name, std::int64_t value) {
  add_attribute(node, name, ::onnx::AttributeProto::INT).set_i(value);
}

void set(NodeProto& node, const std::string& name, float value) {
  add_attribute(node, name, ::onnx::AttributeProto::FLOAT).set_f(value);
}

void set(NodeProto& node, const std::string& name, const std::string& value) {
  add_attribute(node, name, ::onnx::AttributeProto::STRING).set_s(value);
}

void set(NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
  auto& attribute = add_attribute(node, name, ::onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void set(NodeProto& node, const std::string& name, const std::vector<float>& values) {
  auto& attribute = add_attribute(node, name, ::onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

TensorProto& set_tensor(NodeProto& node, const std::string& name) {
  return *add_attribute(node, name, ::onnx::AttributeProto::TENSOR).mutable_t();
}

graph::Graph import_text(const std::string& bytes, const ImportOptions& options) {
  return import_onnx_bytes(std::as_bytes(std::span(bytes)), "test.onnx", options);
}

TemporaryFolder::TemporaryFolder() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  path_ = std::filesystem::temp_directory_path() /
          ("weft_onnx_" + std::to_string(::getpid()) + "_" + test->name());
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
  return file.string();
}

}  // namespace weft::onnx_io::testing_support
