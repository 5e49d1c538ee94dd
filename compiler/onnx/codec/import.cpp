#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "compiler/onnx/codec/constants.h"
#include "compiler/onnx/codec/functions.h"
#include "compiler/onnx/codec/inputs.h"
#include "compiler/onnx/codec/node_order.h"
#include "compiler/onnx/codec/node_upgrade.h"
#include "compiler/onnx/codec/protobuf/model_file.h"
#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/codec/translator.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using ::onnx::ModelProto;
using ::onnx::NodeProto;

constexpr std::int64_t kOldestIrVersion = 3;
// The newer versions in this range add element types, annotations and placements on devices. The
// importer refuses a model only if it uses such types.
constexpr std::int64_t kNewestIrVersion = 13;

void check_ir_version(const ModelProto& model) {
  const std::int64_t version = model.ir_version();
  if (version >= kOldestIrVersion && version <= kNewestIrVersion) return;
  throw InputError(fmt::format("IR version {} is not supported; export it as {} to {}", version,
                               kOldestIrVersion, kNewestIrVersion));
}

/// The model's opset, or 0 if the model declares none; NodeUpgrade then refuses all operators.
int checked_opset(const ModelProto& model) {
  std::set<std::int64_t> versions;
  for (const auto& opset : model.opset_import()) {
    if (is_default_domain(opset.domain())) versions.insert(opset.version());
  }
  if (versions.empty()) return 0;
  if (versions.size() > 1) throw InputError("declares two opsets for ONNX's own operators");
  const std::int64_t version = *versions.begin();
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (version >= 1 && version <= kMost) return static_cast<int>(version);
  throw InputError(fmt::format("opset {} does not exist", version));
}

/// "; 3 more nodes cannot be imported either: If, Loop", for all refused nodes after the first.
std::string others(const std::vector<const NodeProto*>& refused) {
  if (refused.size() == 1) return "";
  std::set<std::string> names;
  for (std::size_t i = 1; i < refused.size(); ++i) {
    const std::string name = printable(operator_name(*refused[i]));
    names.insert(name.substr(1, name.size() - 2));
  }
  const std::size_t count = refused.size() - 1;
  return fmt::format("; {} more node{} cannot be imported either: {}", count, count == 1 ? "" : "s",
                     fmt::join(names, ", "));
}

void require_operators(const ::onnx::GraphProto& model, const NodeUpgrade& upgrade) {
  std::vector<const NodeProto*> refused;
  for (const NodeProto& node : model.node()) {
    if (!is_constant_node(node) && upgrade.refusal(node)) refused.push_back(&node);
  }
  if (refused.empty()) return;
  throw InputError(label_of(*refused[0]) + ": " + *upgrade.refusal(*refused[0]) + others(refused));
}

/// One import of one model.
class Import {
 public:
  Import(::onnx::GraphProto& model, int opset, DataFolder folder, const ImportOptions& options)
      : model_(model),
        options_(options),
        upgrade_(opset),
        constants_(model_, std::move(folder)),
        inputs_(bind_inputs(model_, constants_, options)),
        nodes_(ordered_nodes(model_, constants_)) {}

  /// If a node fails, it may need the elements of an input. Then freezes one of the inputs with a
  /// given value that the node depends on, and starts again.
  graph::Graph run() {
    std::set<std::string> frozen;
    while (true) {
      Attempt attempt = translate(frozen);
      if (attempt.graph) return std::move(*attempt.graph);
      const std::size_t before = frozen.size();
      freeze_more(attempt, frozen);
      if (frozen.size() == before) throw InputError(attempt.error);
    }
  }

 private:
  struct Attempt {
    std::optional<graph::Graph> graph;
    std::string error;
    const NodeProto* failed = nullptr;  // null if no node caused the error

    bool fails_like(const Attempt& other) const {
      return !graph && failed == other.failed && error == other.error;
    }
  };

  Attempt translate(const std::set<std::string>& frozen) {
    Attempt attempt;
    try {
      Translator translator(model_.name(), constants_, upgrade_, options_, inputs_, frozen);
      for (const NodeProto* node : nodes_) {
        attempt.failed = node;
        translator.add(*node);
      }
      attempt.failed = nullptr;
      for (const auto& output : model_.output()) translator.add_output(output);
      attempt.graph = translator.finish();
    } catch (const InputError& error) {
      attempt.error = error.what();
    }
    return attempt;
  }

  /// Adds to `frozen` the first input that changes the outcome of the import, or all candidates if
  /// no single one does.
  void freeze_more(const Attempt& attempt, std::set<std::string>& frozen) {
    const std::vector<std::string> candidates = inputs_behind(attempt.failed, frozen);
    for (const std::string& name : candidates) {
      frozen.insert(name);
      if (candidates.size() == 1 || !translate(frozen).fails_like(attempt)) return;
      frozen.erase(name);
    }
    frozen.insert(candidates.begin(), candidates.end());
  }

  /// The inputs that `node` depends on, that have a given value and are not frozen yet.
  std::vector<std::string> inputs_behind(const NodeProto* node,
                                         const std::set<std::string>& frozen) const {
    std::vector<std::string> names;
    if (node == nullptr) return names;
    const std::set<std::string> needed = values_behind(*node);
    for (const BoundInput& input : inputs_) {
      if (needed.contains(input.name) && options_.values.contains(input.name) &&
          !frozen.contains(input.name)) {
        names.push_back(input.name);
      }
    }
    return names;
  }

  std::set<std::string> values_behind(const NodeProto& node) const {
    std::set<std::string> needed(node.input().begin(), node.input().end());
    for (auto at = std::find(nodes_.rbegin(), nodes_.rend(), &node); at != nodes_.rend(); ++at) {
      const auto& outputs = (*at)->output();
      const bool is_needed = std::any_of(outputs.begin(), outputs.end(),
                                         [&](const auto& name) { return needed.contains(name); });
      if (is_needed) needed.insert((*at)->input().begin(), (*at)->input().end());
    }
    return needed;
  }

  ::onnx::GraphProto& model_;
  const ImportOptions& options_;
  NodeUpgrade upgrade_;
  Constants constants_;
  std::vector<BoundInput> inputs_;
  std::vector<const NodeProto*> nodes_;
};

graph::Graph import_model(ModelProto model, DataFolder folder, const ImportOptions& options) {
  if (!model.has_graph()) throw InputError("holds no network; is it an ONNX model?");
  check_ir_version(model);
  const int opset = checked_opset(model);
  require_operators(model.graph(), NodeUpgrade(opset));
  graph::Graph graph = Import(*model.mutable_graph(), opset, std::move(folder), options).run();
  if (graph.outputs.empty()) {
    throw InputError(
        "declares no output, so there is nothing to compute; export it with its outputs");
  }
  return graph;
}

}  // namespace

graph::Graph import_file(const std::string& path, const ImportOptions& options) {
  return located_in_file(path,
                         [&] { return import_model(read_model(path), folder_of(path), options); });
}

graph::Graph import_bytes(std::span<const std::byte> bytes, const std::string& name,
                          const ImportOptions& options) {
  return located_in_file(name, [&] { return import_model(parse_model(bytes), {}, options); });
}

}  // namespace weft::onnx_io
