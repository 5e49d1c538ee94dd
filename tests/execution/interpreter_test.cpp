// The interpreter on a device that only writes down what it is asked to do: when values are taken,
// computed and dropped. tests/reference_ops/run_graph_test.cpp tests values.
#include "models/execution/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <new>
#include <set>
#include <utility>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"

namespace weft::execution {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

using Log = std::vector<std::string>;

/// Every value that it is asked for is a scalar.
class LoggingDevice final : public GraphDevice {
 public:
  explicit LoggingDevice(const Graph& graph) : graph_(graph) {}

  void set(ValueId id, const Tensor&) override { log_.push_back("set " + name(id)); }
  Tensor get(ValueId id) override {
    log_.push_back("get " + name(id));
    return Tensor::scalar(1.0F);
  }
  void run(const Node& node, const Observer& observer) override {
    log_.push_back("run " + node.name);
    for (const ValueId id : node.outputs) {
      if (id != graph::kNoValue) held_.insert(id);
    }
    if (node.name == refused) throw InputError("no");
    if (node.name == too_large) throw std::bad_alloc();
    if (observer) observer(node, {});
  }
  void drop(ValueId id) override {
    if (held_.erase(id) > 0) log_.push_back("drop " + name(id));
  }
  bool keeps(ValueId id) const override { return name(id) == kept; }

  Log take_log() { return std::exchange(log_, {}); }

  std::string kept = {};
  std::string refused = {};
  std::string too_large = {};

 private:
  const std::string& name(ValueId id) const { return graph_.values[id].name; }

  const Graph& graph_;
  std::set<ValueId> held_;
  Log log_;
};

// a = -x; b = |a|; c = a + b; y = c, and b's split has parts that nobody uses.
Graph chain() {
  Builder builder("chain");
  const graph::ValueType one{DataType::kFloat32, {2}};
  const ValueId x = builder.input("x", one);
  const ValueId a = builder.add(Op::kNeg, {x}, {}, "a", {"a"})[0];
  const ValueId b = builder.add(Op::kAbs, {a}, {}, "b", {"b"})[0];
  builder.add(Op::kSplit, {b, builder.constant(Tensor::vector<std::int64_t>({1, 1}), "parts")}, {},
              "cut", {"part0", "part1"});
  const ValueId c = builder.add(Op::kAdd, {a, b}, {}, "c", {"c"})[0];
  builder.output(c, "y");
  return builder.finish();
}

NamedTensors input() {
  return {{"x", Tensor(DataType::kFloat32, {2})}};
}

std::string error_of(Interpreter& interpreter) {
  try {
    interpreter.run(input());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(InterpreterTest, DropsEachValueAfterItsLastUse) {
  const Graph graph = chain();
  LoggingDevice device(graph);
  Interpreter interpreter(graph, device);
  interpreter.run(input());
  EXPECT_EQ(device.take_log(), (Log{"set x", "run a", "run b", "run cut", "drop part0",
                                    "drop part1", "run c", "drop a", "drop b", "get c"}));
}

TEST(InterpreterTest, ANewRunDropsWhatIsLeftButNotWhatTheDeviceKeeps) {
  const Graph graph = chain();
  LoggingDevice device(graph);
  device.kept = "b";
  Interpreter interpreter(graph, device);
  interpreter.run(input());
  device.take_log();
  interpreter.run(input());
  const Log log = device.take_log();
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.front(), "drop c");
  EXPECT_EQ(std::ranges::count(log, "drop b"), 0);
}

TEST(InterpreterTest, ErrorsNameTheNodeAndTheNextRunStartsAfresh) {
  const Graph graph = chain();
  LoggingDevice device(graph);
  Interpreter interpreter(graph, device);
  device.refused = "b";
  EXPECT_EQ(error_of(interpreter), "node 'b' (Abs): no");
  device.refused = "";
  device.too_large = "a";
  device.take_log();
  EXPECT_EQ(error_of(interpreter), "node 'a' (Neg): not enough memory for its result");
  EXPECT_EQ(device.take_log(), (Log{"drop a", "drop b", "set x", "run a"}));
}

TEST(InterpreterTest, ACallerThatComputesNodesItselfCountsTheUsesOfTheOthers) {
  const Graph graph = chain();
  LoggingDevice device(graph);
  std::vector<std::size_t> uses(graph.values.size());
  const std::array<const Node*, 2> nodes = {&graph.nodes.front(), &graph.nodes.back()};
  for (const Node* node : nodes) {
    for (const ValueId id : node->inputs) ++uses[id];
  }
  ++uses[graph.outputs[0].value];
  Interpreter interpreter(graph, device, {}, uses);
  interpreter.begin(input());
  for (const Node* node : nodes) interpreter.run_node(*node);
  interpreter.outputs();
  EXPECT_EQ(device.take_log(), (Log{"set x", "run a", "run c", "drop a", "get c"}));
}

}  // namespace
}  // namespace weft::execution
