// Brings a node of an opset after 17 down to the form that its operator had in opset 17, which is
// the form of the graph. Debian's ONNX library ends there and has no converter downwards, so the
// table of forms is Weft's own. Source: ONNX's change log of operators. docs/onnx.md lists the
// steps.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/builder/builder.h"

namespace weft::onnx_io {

/// The newest opset whose definitions the table knows.
inline constexpr int kNewestOpset = 27;

/// A node on its way down. `inputs` has one value per input of the node, kNoValue for an omitted
/// one. Messages about the node leave out its name.
struct NewerNode {
  ::onnx::NodeProto node;
  std::vector<graph::ValueId> inputs;
  graph::Builder& builder;

  bool has_input(std::size_t i) const;
  const graph::Shape& shape(std::size_t i) const;
  /// The elements of input `i` as integers. Throws InputError if they are not constant.
  std::vector<std::int64_t> known_list(std::size_t i, std::string_view name) const;
  /// Sets input `i`, which may be one after the last.
  void set_input(std::size_t i, graph::Constant value, const std::string& name);
  /// Removes input `i` and all later ones.
  void drop_inputs_from(std::size_t i);

  /// The attribute, or `otherwise`. Removes it from the node. Throws InputError for another kind.
  std::int64_t take_integer(const std::string& name, std::int64_t otherwise);
  std::string take_text(const std::string& name, const std::string& otherwise);
  std::vector<std::int64_t> take_integers(const std::string& name);
  bool has_attribute(std::string_view name) const;
  void set_text(const std::string& name, const std::string& value);
  void set_integers(const std::string& name, const std::vector<std::int64_t>& values);
};

/// Changes the node from its form in `opset` to that of opset 17. Does nothing for opsets up to 17.
/// Throws InputError, without the node's name, for a form that opset 17 cannot express.
void lower_to_graph_opset(NewerNode& node, int opset);

/// `axes` of a tensor of this rank, counted from the first. Throws InputError for an axis out of
/// range or given twice.
std::vector<std::int64_t> checked_axes(const std::vector<std::int64_t>& axes, std::int64_t rank);

}  // namespace weft::onnx_io
