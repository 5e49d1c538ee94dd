// Builds valid and invalid test models with ONNX's protobuf classes.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/onnx/import.h"

namespace weft::onnx_io::testing_support {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

/// An extent, or the name of an open dimension. An empty name makes an unnamed open dimension.
using Dim = std::variant<std::int64_t, std::string>;

class Model {
 public:
  explicit Model(std::int64_t opset = 17);

  Model& input(const std::string& name, const std::vector<Dim>& shape,
               TensorProto::DataType type = TensorProto::FLOAT);
  Model& output(const std::string& name, TensorProto::DataType type = TensorProto::FLOAT);
  /// Adds an initializer of rank 1, in the typed field.
  Model& floats(const std::string& name, const std::vector<float>& values);
  Model& ints(const std::string& name, const std::vector<std::int64_t>& values);
  TensorProto& initializer(const std::string& name, TensorProto::DataType type,
                           const std::vector<std::int64_t>& dims);
  NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs);

  ::onnx::ModelProto& proto() { return proto_; }
  ::onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  std::string bytes() const { return proto_.SerializeAsString(); }
  /// Imports the model from memory, under the name "test.onnx".
  graph::Graph import(const ImportOptions& options = {}) const;

 private:
  ::onnx::ModelProto proto_;
};

void set(NodeProto& node, const std::string& name, std::int64_t value);
void set(NodeProto& node, const std::string& name, float value);
void set(NodeProto& node, const std::string& name, const std::string& value);
void set(NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values);
void set(NodeProto& node, const std::string& name, const std::vector<float>& values);
TensorProto& set_tensor(NodeProto& node, const std::string& name);

graph::Graph import_text(const std::string& bytes, const ImportOptions& options = {});

/// Message of the InputError that the function throws; the test fails if it throws none.
template <class Function>
std::string error_of(Function&& function);

/// A temporary folder; the destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes the file and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(dynamic_cast<const InputError*>(&error), nullptr) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace weft::onnx_io::testing_support
