// What a model knows before it runs: initializers and the results of Constant nodes. Each is made
// into a tensor when it is first asked for, so that what nobody uses costs nothing, and its
// elements then leave the protobuf message.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <variant>

#include "compiler/graph/tensor.h"
#include "compiler/onnx/codec/external_data.h"

namespace weft::onnx_io {

class Constants {
 public:
  /// Those of `model`, which must outlive this object. Throws InputError if two have one name, for
  /// sparse initializers and for a Constant node without a value of a known kind.
  Constants(::onnx::GraphProto& model, DataFolder folder);

  bool has(const std::string& name) const { return entries_.contains(name); }
  /// The tensor `name`, which must be one of these. Throws InputError naming it if it is broken.
  const graph::Tensor& get(const std::string& name);

 private:
  struct Entry {
    std::string label;
    std::variant<::onnx::TensorProto*, graph::Tensor> value;
  };

  void add(const std::string& name, Entry entry);
  void add_node(::onnx::NodeProto& node);

  DataFolder folder_;
  std::map<std::string, Entry> entries_;
};

/// True for a node whose result Constants holds.
bool is_constant_node(const ::onnx::NodeProto& node);

}  // namespace weft::onnx_io
