#include "compiler/graph/builder/check.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/shapes/infer_outputs.h"

namespace weft::graph {
namespace {

// Walks a graph in order and records which values have been made.
class GraphChecker {
 public:
  explicit GraphChecker(const Graph& graph) : graph_(graph), made_(graph.values.size(), false) {}

  void run() {
    const std::string label = fmt::format("graph '{}'", one_line(graph_.name));
    within(label, [&] { check_sources(); });
    for (const Node& node : graph_.nodes) {
      within(node_label(node), [&] { check_node(node); });
    }
    within(label, [&] { check_results(); });
  }

 private:
  // Runs `check` and puts `label` in front of the message of any InputError.
  template <class Check>
  static void within(const std::string& label, Check&& check) {
    try {
      check();
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", label, error.what()));
    }
  }

  std::string label(ValueId id) const {
    return fmt::format("value '{}'", one_line(graph_.values[id].name));
  }

  void make(ValueId id, std::string_view what) {
    if (id >= made_.size()) throw InputError(fmt::format("{} is not a value of the graph", what));
    if (made_[id]) throw InputError(fmt::format("{}, {}, is made twice", label(id), what));
    made_[id] = true;
  }

  void check_sources() {
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      within(label(id), [&] { element_count(graph_.type(id).shape); });
      if (graph_.is_constant(id)) check_constant(id);
    }
    for (const ValueId id : graph_.inputs) make(id, "an input");
  }

  void check_constant(ValueId id) {
    const ValueType& held = graph_.values[id].constant->type();
    if (held != graph_.type(id)) {
      throw InputError(fmt::format("{} is {}, but its constant is {}", label(id),
                                   to_string(graph_.type(id)), to_string(held)));
    }
    make(id, "a constant");
  }

  void check_node(const Node& node) {
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) expect_made(id);
    }
    check_types(node);
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) make(id, "an output");
    }
  }

  void expect_made(ValueId id) const {
    if (id >= made_.size()) throw InputError("an input is not a value of the graph");
    if (!made_[id]) throw InputError(fmt::format("{} is used before it is made", label(id)));
  }

  void check_types(const Node& node) const {
    const std::vector<ValueType> types = infer_outputs(graph_, node);
    for (std::size_t i = 0; i < types.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id >= graph_.values.size() || graph_.type(id) == types[i]) continue;
      throw InputError(fmt::format("output {} is {}, but {} has type {}", i, to_string(types[i]),
                                   label(id), to_string(graph_.type(id))));
    }
  }

  void check_results() const {
    std::unordered_set<std::string_view> names;
    for (const Output& output : graph_.outputs) {
      const std::string name = one_line(output.name);
      if (!names.insert(output.name).second) {
        throw InputError(fmt::format("two outputs have the name '{}'", name));
      }
      if (output.value >= made_.size() || !made_[output.value]) {
        throw InputError(fmt::format("output '{}' is not a value of the graph", name));
      }
    }
    for (ValueId id = 0; id < made_.size(); ++id) {
      if (!made_[id]) throw InputError(fmt::format("{} is never made", label(id)));
    }
  }

  const Graph& graph_;
  std::vector<bool> made_;
};

}  // namespace

void check(const Graph& graph) {
  GraphChecker(graph).run();
}

}  // namespace weft::graph
