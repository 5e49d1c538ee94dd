// Translates a model's sorted nodes to nodes of a graph. It maps the names in the file to value
// ids and adds a constant to the graph when a node first uses it.
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/onnx/codec/constants.h"
#include "compiler/onnx/codec/inputs.h"
#include "compiler/onnx/codec/node_upgrade.h"
#include "compiler/onnx/import.h"

namespace weft::onnx_io {

class Translator {
 public:
  /// `constants` and `upgrade` must outlive this object. The inputs named in `frozen` become
  /// constants with the values in `options.values`.
  Translator(const std::string& graph_name, Constants& constants, const NodeUpgrade& upgrade,
             const ImportOptions& options, const std::vector<BoundInput>& inputs,
             const std::set<std::string>& frozen);

  /// Adds the node. All values that it uses must have been added. Throws InputError with its label.
  void add(const ::onnx::NodeProto& node);
  /// Makes a value an output of the graph. Throws InputError with the output's name.
  void add_output(const ::onnx::ValueInfoProto& output);
  graph::Graph finish() { return builder_.finish(); }

 private:
  using Values = std::unordered_map<std::string, graph::ValueId>;

  graph::ValueId value(const std::string& name);
  void add_composed(const ::onnx::NodeProto& node, const std::vector<graph::ValueId>& inputs);
  void add_upgraded(const ::onnx::NodeProto& node, const std::vector<graph::ValueId>& inputs);
  std::vector<graph::ValueId> add_operator(const ::onnx::NodeProto& node,
                                           std::vector<graph::ValueId> inputs,
                                           const std::vector<std::string>& outputs);
  void drop_empty_inputs(std::vector<graph::ValueId>& inputs) const;

  graph::Builder builder_;
  Constants& constants_;
  const NodeUpgrade& upgrade_;
  Values values_;
};

}  // namespace weft::onnx_io
