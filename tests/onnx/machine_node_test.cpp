// Runs the ONNX project's node tests with matrix work on the machine. Each is imported, unrolled,
// optimized, compiled and run on a small array: int8 for integer operators, bf16 for the others.
// The first input stays an input; the others become weights. Integer results must equal the test's;
// floats must lie within the bound below. The output lists all matrix work of the host, with the
// compiler's reason.
//
// The bound for a product y = sum_k a_k w_k + b on bf16, with 8 significant bits, u = 2^-8:
//   - a and w are each rounded once: factors (1 + d1)(1 + d2), |d| <= u.
//   - The products are exact in binary32; their sums are chains of at most n additions: (1 + t),
//     |t| <= gamma_n = n v / (1 - n v), v = 2^-24. The test's result was summed in float32 too.
//   - A result that stays on the machine is rounded to bf16: a factor (1 + d3).
//   - Gemm's alpha and beta, positive here, scale weights and bias. This adds one rounding to
//     binary32, which the large n of gamma_n covers. A matrix C is rounded like a and w.
// So |error| <= E + u (|y| + E), with E = ((1 + u)^2 (1 + gamma_n) - 1 + gamma_n) S and
// S = sum |a_k| |w_k| + |b|. S is the operator applied to magnitudes, being linear in each.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "base/error.h"
#include "compiler/onnx/tensor_file.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/simplify/decompose_recurrent.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/compile_network.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/network_runner.h"
#include "tests/onnx/node_cases.h"

namespace weft::onnx_io::testing {
namespace {

using graph::Op;
using graph::Tensor;

constexpr std::array kFloatOps = {Op::kConv, Op::kConvTranspose, Op::kGemm, Op::kMatMul};
constexpr std::array kIntegerOps = {Op::kConvInteger, Op::kQLinearConv, Op::kMatMulInteger,
                                    Op::kQLinearMatMul};
constexpr std::array kRecurrentOps = {Op::kLstm, Op::kGru, Op::kRnn};

constexpr double kRounding = 0x1p-8;      // u
constexpr double kSums = 1024 * 0x1p-23;  // exceeds gamma_1024; all sums have fewer terms
// For recurrences. Every step rounds inputs, weights, sums and state by at most u times the largest
// gate argument. The functions have slopes of at most 1; the tests take at most two steps with
// weights of 0.1. So eight roundings of values of size 1 bound the error.
constexpr double kRecurrentBound = 8 * kRounding;

template <std::size_t kCount>
bool is_one_of(Op op, const std::array<Op, kCount>& ops) {
  return std::ranges::find(ops, op) != ops.end();
}

bool has_matrix_work(Op op) {
  return is_one_of(op, kFloatOps) || is_one_of(op, kIntegerOps) || is_one_of(op, kRecurrentOps);
}

/// True if the array could do some of it: no array has float64, as ONNX's tests of Einsum do.
bool has_matrix_work(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [&](const graph::Node& node) {
    return has_matrix_work(node.op) && graph.type(node.inputs[0]).type != graph::DataType::kFloat64;
  });
}

bool is_recurrent(const graph::Graph& graph) {
  return std::ranges::any_of(
      graph.nodes, [](const graph::Node& node) { return is_one_of(node.op, kRecurrentOps); });
}

MachineConfig machine_for(const graph::Graph& graph) {
  MachineConfig config;
  config.array_rows = 4;
  config.array_cols = 4;
  config.dtype =
      std::ranges::any_of(graph.nodes,
                          [](const graph::Node& node) { return is_one_of(node.op, kIntegerOps); })
          ? ElementType::kInt8
          : ElementType::kBf16;
  config.accumulator_rows = 64;
  config.unified_buffer_kib = 64;
  return config;
}

/// Turns the inputs from number `first` on into constants.
graph::Graph with_weights(graph::Graph graph, const reference::NamedTensors& inputs,
                          std::size_t first) {
  for (std::size_t i = first; i < graph.inputs.size(); ++i) {
    graph::Value& value = graph.values[graph.inputs[i]];
    value.constant = graph::Constant(inputs.at(value.name));
  }
  graph.inputs.resize(std::min(first, graph.inputs.size()));
  return graph;
}

Tensor magnitudes(Tensor tensor) {
  if (tensor.type() == graph::DataType::kFloat32) {
    for (float& element : tensor.mutable_data<float>()) element = std::abs(element);
  }
  return tensor;
}

/// The graph's outputs if all operands are replaced by their magnitudes.
reference::NamedTensors sums_of_magnitudes(const graph::Graph& graph,
                                           const reference::NamedTensors& inputs) {
  reference::NamedTensors positive;
  for (const auto& [name, tensor] : inputs) positive.emplace(name, magnitudes(tensor));
  return reference::run_graph(graph, positive);
}

double largest(const Tensor& tensor) {
  double result = 1;
  for (const float value : tensor.data<float>()) {
    result = std::max(result, std::abs(static_cast<double>(value)));
  }
  return result;
}

struct NodeRun {
  compiler::NetworkProgram program;
  reference::NamedTensors outputs;
  bool multiplied = false;   // the machine did some matrix work
  std::string host_reasons;  // for matrix work on the host; empty if there is none
};

NodeRun run_on_machine(const graph::Graph& graph, const reference::NamedTensors& inputs) {
  const MachineConfig config = machine_for(graph);
  NodeRun run;
  run.program = compiler::compile_network(
      passes::optimize(passes::decompose_recurrent(graph), reference::evaluate), config);
  reference::NamedTensors given = inputs;
  keep_inputs(graph, given);
  const runtime::NetworkRun machine = runtime::run_network(run.program, config, given, {});
  run.outputs = machine.outputs;
  run.multiplied = machine.useful_macs > 0;
  for (const auto& step : run.program.steps) {
    const auto* host = std::get_if<compiler::HostStep>(&step);
    if (host == nullptr) continue;
    const graph::Node& node = run.program.graph.nodes[host->node];
    if (!has_matrix_work(node.op)) continue;
    if (!run.host_reasons.empty()) run.host_reasons += "; ";
    run.host_reasons += std::string(to_string(node.op)) + ": " + host->reason;
  }
  return run;
}

void expect_near(const Tensor& actual, const Tensor& expected, const Tensor& sums, bool recurrent) {
  ASSERT_EQ(actual.value_type(), expected.value_type());
  const double sum_bound = (1 + kRounding) * (1 + kRounding) * (1 + kSums) - 1 + kSums;
  const double largest_state = largest(expected);
  for (std::size_t i = 0; i < actual.data<float>().size(); ++i) {
    const double y = static_cast<double>(expected.data<float>()[i]);
    const double operands = sum_bound * static_cast<double>(sums.data<float>()[i]);
    const double bound = recurrent ? kRecurrentBound * largest_state
                                   : operands + kRounding * (std::abs(y) + operands);
    ASSERT_LE(std::abs(static_cast<double>(actual.data<float>()[i]) - y), bound)
        << "element " << i << " is " << actual.data<float>()[i] << " instead of " << y;
  }
}

void expect_outputs(const NodeCase& test, const graph::Graph& graph, const NodeRun& run,
                    const reference::NamedTensors& inputs) {
  const bool recurrent = is_recurrent(graph);
  const auto sums = sums_of_magnitudes(graph, inputs);
  for (int i = 0; i < test.model.graph().output_size(); ++i) {
    const std::string& name = test.model.graph().output(i).name();
    SCOPED_TRACE(name);
    const Tensor expected = read_tensor_pb(test.file("output", i));
    if (expected.type() == graph::DataType::kFloat32) {
      expect_near(run.outputs.at(name), expected, sums.at(name), recurrent);
    } else {
      EXPECT_EQ(run.outputs.at(name), expected);
    }
  }
}

struct Tally {
  int all = 0;
  int on_machine = 0;
  std::vector<std::string> on_host;
};

/// Runs the test; the inputs from number `first_weight` on become constants.
void check_case(const NodeCase& test, std::size_t first_weight, Tally& tally) {
  SCOPED_TRACE(test.name());
  const reference::NamedTensors all = read_inputs(test);
  const graph::Graph imported = import(test, all);
  reference::NamedTensors inputs = all;
  keep_inputs(imported, inputs);
  if (!has_matrix_work(imported)) return;
  const NodeRun run = run_on_machine(with_weights(imported, inputs, first_weight), inputs);
  expect_outputs(test, imported, run, inputs);
  EXPECT_TRUE(run.multiplied || !run.host_reasons.empty()) << "no matrix work was done";
  ++tally.all;
  if (run.host_reasons.empty()) {
    ++tally.on_machine;
  } else {
    tally.on_host.push_back(test.name() + ": " + run.host_reasons);
  }
}

void print(const Tally& tally, const char* what) {
  std::cout << tally.on_machine << " of " << tally.all << " " << what << " ran on the machine\n";
  for (const std::string& line : tally.on_host) std::cout << "  host: " << line << '\n';
}

TEST(OnnxMachineNodeTest, PassesTheNodeTestsWithMatrixWork) {
  Tally tally;
  for (const auto& folder : folders()) {
    const NodeCase test = read_case(folder);
    if (!exclusion(test)) check_case(test, 1, tally);
  }
  print(tally, "node tests with matrix work");
  EXPECT_GE(tally.all, 49) << "too few tests: is this ONNX's test data?";
  EXPECT_EQ(tally.on_machine, tally.all);
  EXPECT_EQ(tally.on_host, std::vector<std::string>());
}

TEST(OnnxMachineNodeTest, PassesTheMatMulsWithBothOperandsComputed) {
  Tally tally;
  for (const auto& folder : folders()) {
    if (!folder.filename().string().starts_with("test_matmul_")) continue;
    check_case(read_case(folder), 2, tally);
  }
  print(tally, "products of two inputs");
  EXPECT_EQ(tally.on_machine, 3);
}

}  // namespace
}  // namespace weft::onnx_io::testing
