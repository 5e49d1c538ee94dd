#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <ostream>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/onnx/codec/functions.h"
#include "compiler/onnx/codec/node_upgrade.h"
#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::ValueId;

constexpr int kIrVersion = 8;

/// Writes a graph without extensions. A graph output has its own name besides the value's name;
/// ONNX has only the value's name. So the first output of a value gives the value its name, and an
/// Identity node makes a copy for each further output.
class Writer {
 public:
  Writer(const Graph& graph, const ExportOptions& options, ::onnx::GraphProto& to)
      : graph_(graph), options_(options), to_(to), names_(graph.values.size()) {}

  void write() {
    to_.set_name(graph_.name.empty() ? "graph" : graph_.name);
    name_outputs();
    for (const ValueId input : graph_.inputs) {
      if (names_[input].empty()) names_[input] = unique(graph_.values[input].name);
      declare(*to_.add_input(), names_[input], graph_.type(input));
    }
    for (const graph::Node& node : graph_.nodes) write_node(node);
    for (const graph::Output& output : graph_.outputs) write_output(output);
  }

 private:
  std::string unique(const std::string& stem) {
    std::string name = stem.empty() ? "value" : stem;
    for (int i = 1; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", stem, i);
    return name;
  }

  void name_outputs() {
    const std::vector<std::size_t> producers = graph::producers(graph_);
    for (const graph::Output& output : graph_.outputs) {
      const graph::Value& value = graph_.values[output.value];
      const bool made = producers[output.value] != graph::kNoProducer;
      const bool is_input = !made && !value.constant && value.name == output.name;
      if ((made || is_input) && names_[output.value].empty()) names_[output.value] = output.name;
      used_.insert(output.name);
    }
  }

  void declare(::onnx::ValueInfoProto& value, const std::string& name,
               const graph::ValueType& type) const {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx_data_type(type.type));
    auto& shape = *tensor.mutable_shape();
    for (const std::int64_t extent : type.shape) shape.add_dim()->set_dim_value(extent);
    if (options_.open_batch && shape.dim_size() > 0) shape.mutable_dim(0)->set_dim_param("batch");
  }

  /// The name of the value in the file. Writes a constant at its first use.
  const std::string& use(ValueId id) {
    if (names_[id].empty()) {
      names_[id] = unique(graph_.values[id].name);
      if (graph_.is_constant(id)) write_constant(id);
    }
    return names_[id];
  }

  void write_constant(ValueId id) {
    ::onnx::TensorProto& tensor = *to_.add_initializer();
    put_tensor(graph_.values[id].constant->tensor(), tensor);
    tensor.set_name(names_[id]);
  }

  void write_node(const graph::Node& node) {
    ::onnx::NodeProto proto;
    proto.set_name(node.name);
    proto.set_op_type(std::string(to_string(node.op)));
    for (const ValueId input : node.inputs) proto.add_input(input == kNoValue ? "" : use(input));
    for (const ValueId output : node.outputs) {
      proto.add_output(output == kNoValue ? "" : use(output));
    }
    put_attributes(node.attributes, proto);
    *to_.add_node() = std::move(proto);
  }

  void write_output(const graph::Output& output) {
    declare(*to_.add_output(), output.name, graph_.type(output.value));
    if (use(output.value) == output.name) return;
    ::onnx::NodeProto& copy = *to_.add_node();
    copy.set_op_type("Identity");
    copy.add_input(use(output.value));
    copy.add_output(output.name);
  }

  const Graph& graph_;
  const ExportOptions& options_;
  ::onnx::GraphProto& to_;
  std::vector<std::string> names_;  // by value; empty until its first use
  std::unordered_set<std::string> used_;
};

::onnx::ModelProto to_model(const Graph& graph, const ExportOptions& options) {
  ::onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("weft");
  model.add_opset_import()->set_version(kOpset);
  Writer(graph, options, *model.mutable_graph()).write();
  if (model.ByteSizeLong() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw InputError("the network takes more than 2 GiB, which an ONNX file cannot hold");
  }
  return model;
}

}  // namespace

void write_model(const Graph& graph, std::ostream& out, const ExportOptions& options) {
  const google::protobuf::LogSilencer silence;
  if (!to_model(graph, options).SerializeToOstream(&out)) {
    throw InputError("cannot write the ONNX model; is the disk full?");
  }
}

std::string model_bytes(const Graph& graph, const ExportOptions& options) {
  return to_model(graph, options).SerializeAsString();
}

}  // namespace weft::onnx_io
