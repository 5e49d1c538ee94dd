// Builds one of the file's nodes from several operators of the graph.
//
//   node 'up' (DepthToSpace)  -->  'up/Reshape' --> 'up/Transpose' --> 'up/Reshape_1'
//
// The nodes that it adds take their names from the file's node. Messages leave its label out; the
// caller adds it.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/builder/builder.h"

namespace weft::onnx_io {

/// The most elements of a constant that an extent asks for: a small file must not fill the memory.
inline constexpr std::int64_t kLongestList = 1 << 22;

/// Throws InputError if a list of `count` elements is too long.
void require_list_length(std::int64_t count);

class Assembly {
 public:
  /// `inputs` has one value per input of `node`, kNoValue for an omitted one. `node` and `builder`
  /// must outlive this object. Throws InputError for invalid attributes.
  Assembly(const ::onnx::NodeProto& node, std::vector<graph::ValueId> inputs, int opset,
           graph::Builder& builder);

  int opset() const { return opset_; }
  const std::string& op() const { return node_.op_type(); }
  const graph::Attributes& attributes() const { return attributes_; }
  std::size_t input_count() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i] != graph::kNoValue; }
  /// Input `i`. Throws InputError if it is omitted.
  graph::ValueId input(std::size_t i) const;
  /// The elements of input `i`. Throws InputError if it is not a constant in memory.
  const graph::Tensor& known(std::size_t i, std::string_view name) const;

  const graph::Shape& shape(graph::ValueId value) const { return builder_.type(value).shape; }
  graph::DataType type(graph::ValueId value) const { return builder_.type(value).type; }
  std::int64_t rank(graph::ValueId value) const;

  /// Adds a node with one output.
  graph::ValueId add(graph::Op op, std::vector<graph::ValueId> inputs,
                     graph::Attributes attributes = {});
  graph::ValueId constant(graph::Tensor tensor);
  /// A constant int64 list of this shape: first, first + 1, ... Throws InputError for more than
  /// kLongestList elements.
  graph::ValueId counting(const graph::Shape& shape, std::int64_t first = 0);
  /// A scalar constant of a type of numbers.
  graph::ValueId number(double value, graph::DataType type);

  /// Nodes of some operators, left out where they would change nothing.
  graph::ValueId reshape(graph::ValueId value, const graph::Shape& shape);
  graph::ValueId transpose(graph::ValueId value, const std::vector<std::int64_t>& perm);
  graph::ValueId cast(graph::ValueId value, graph::DataType type);
  /// The sum along `axes`. Each axis may occur only once.
  graph::ValueId sum(graph::ValueId value, const std::vector<std::int64_t>& axes, bool keep);
  /// Elements `start`, `start + step`, ... of `axis` that lie before `end`.
  graph::ValueId slice(graph::ValueId value, std::int64_t axis, std::int64_t start,
                       std::int64_t end, std::int64_t step = 1);

 private:
  const ::onnx::NodeProto& node_;
  std::vector<graph::ValueId> inputs_;
  int opset_;
  graph::Builder& builder_;
  graph::Attributes attributes_;
  std::map<std::string, int, std::less<>> used_;  // how many nodes have this name
};

}  // namespace weft::onnx_io
