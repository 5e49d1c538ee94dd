#include "compiler/onnx/codec/node_order.h"

#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compiler/onnx/codec/protobuf/node_attributes.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

class NodeOrder {
 public:
  NodeOrder(const GraphProto& model, const Constants& constants) : constants_(constants) {
    for (const auto& input : model.input()) inputs_.insert(input.name());
    for (const NodeProto& node : model.node()) {
      if (!is_constant_node(node)) nodes_.push_back(&node);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) add_outputs(i);
    users_.resize(nodes_.size());
    waiting_.resize(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) add_inputs(i);
  }

  std::vector<const NodeProto*> sorted() {
    // Taking the smallest index first keeps the file's order if that order is valid.
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (waiting_[i] == 0) ready.push(i);
    }
    std::vector<const NodeProto*> order;
    while (!ready.empty()) {
      const std::size_t node = ready.top();
      ready.pop();
      order.push_back(nodes_[node]);
      for (const std::size_t user : users_[node]) {
        if (--waiting_[user] == 0) ready.push(user);
      }
    }
    if (order.size() < nodes_.size()) throw_cycle();
    return order;
  }

 private:
  void add_outputs(std::size_t node) {
    for (const std::string& name : nodes_[node]->output()) {
      if (name.empty()) continue;
      const bool taken = constants_.has(name) || inputs_.contains(name);
      if (taken || !makers_.try_emplace(name, node).second) {
        throw InputError(label_of(*nodes_[node]) + ": its " + labeled("output", name) +
                         " is also made elsewhere");
      }
    }
  }

  void add_inputs(std::size_t node) {
    for (const std::string& name : nodes_[node]->input()) {
      if (name.empty() || constants_.has(name) || inputs_.contains(name)) continue;
      const auto maker = makers_.find(name);
      if (maker == makers_.end()) {
        throw InputError(label_of(*nodes_[node]) + ": no node, input or initializer makes its " +
                         labeled("input", name));
      }
      users_[maker->second].push_back(node);
      ++waiting_[node];
    }
  }

  /// A waiting node that makes an input of `node`.
  std::size_t waiting_maker(std::size_t node) const {
    for (const std::string& name : nodes_[node]->input()) {
      const auto maker = makers_.find(name);
      if (maker != makers_.end() && waiting_[maker->second] > 0) return maker->second;
    }
    return node;
  }

  /// A waiting node may depend on a cycle without being part of it. Walking back over as many nodes
  /// as the model has always ends in the cycle.
  [[noreturn]] void throw_cycle() const {
    std::size_t node = 0;
    while (waiting_[node] == 0) ++node;
    for (std::size_t step = 0; step < nodes_.size(); ++step) node = waiting_maker(node);
    throw InputError(label_of(*nodes_[node]) +
                     ": is part of a cycle; its input depends on its output");
  }

  const Constants& constants_;
  std::vector<const NodeProto*> nodes_;
  std::unordered_set<std::string> inputs_;
  std::unordered_map<std::string, std::size_t> makers_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<std::size_t> waiting_;
};

}  // namespace

std::vector<const NodeProto*> ordered_nodes(const GraphProto& model, const Constants& constants) {
  return NodeOrder(model, constants).sorted();
}

}  // namespace weft::onnx_io
