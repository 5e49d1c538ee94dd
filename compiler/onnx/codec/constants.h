// The constants of a model: initializers and the results of Constant nodes. The first get() of a
// constant makes its tensor and removes its elements from the protobuf message. So an unused
// constant costs nothing, and a used one is in memory only once.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <variant>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/protobuf/external_data.h"

namespace weft::onnx_io {

class Constants {
 public:
  /// Collects the constants of `model`, which must outlive this object. Throws InputError for two
  /// constants with the same name, a sparse initializer, or a Constant node without a value of a
  /// supported kind.
  Constants(::onnx::GraphProto& model, DataFolder folder);

  bool has(const std::string& name) const { return entries_.contains(name); }
  /// The constant `name`, which must exist. Throws InputError with its name if its data is invalid.
  const graph::Tensor& get(const std::string& name);

 private:
  struct NamedConstant {
    std::string label;
    std::variant<::onnx::TensorProto*, graph::Tensor> value;
  };

  void add(const std::string& name, NamedConstant entry);
  void add_node(::onnx::NodeProto& node);

  DataFolder folder_;
  std::map<std::string, NamedConstant> entries_;
};

/// True for a Constant node. Class Constants holds its result.
bool is_constant_node(const ::onnx::NodeProto& node);

}  // namespace weft::onnx_io
