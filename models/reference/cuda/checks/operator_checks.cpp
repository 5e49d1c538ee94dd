#include "models/reference/cuda/checks/operator_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "models/reference/cpu/run_graph.h"
#include "models/reference/cuda/checks/bounds.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {
namespace {

using graph::DataType;
using graph::Tensor;

constexpr MatmulType kFloatTypes[] = {MatmulType::kFloat32, MatmulType::kTf32, MatmulType::kBf16,
                                      MatmulType::kFp16};

bool same(float a, float b) {
  if (std::isnan(b)) return std::isnan(a);
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

bool neighbors(float a, float b) {
  return same(a, b) || std::nextafter(a, b) == b;
}

Tensor exact(const graph::Graph& graph, const reference::NamedTensors& inputs) {
  reference::RunGraphOptions options;
  options.double_precision = true;
  return reference::run_graph(graph, inputs, options).begin()->second;
}

/// The node's results with its inputs' magnitudes and no activation: the sums of the terms'
/// magnitudes, as product_bound() counts them.
Tensor magnitudes(const OperatorCase& test, MatmulType matmul) {
  graph::Graph graph = test.graph;
  reference::NamedTensors inputs = test.inputs;
  for (const char* name : {"activation", "activation_alpha", "activation_beta"}) {
    graph.nodes[0].attributes.erase(name);
  }
  for (const char* name : {"alpha", "beta"}) {
    if (!graph.nodes[0].attributes.has(name)) continue;
    graph.nodes[0].attributes.set(name, std::abs(graph.nodes[0].attributes.real(name, 1)));
  }
  for (auto& [name, tensor] : inputs) {
    for (float& element : tensor.mutable_data<float>()) {
      element = static_cast<float>(rounded_magnitude(matmul, static_cast<double>(element)));
    }
  }
  return exact(graph, inputs);
}

std::string wrong_element(std::size_t i, double actual, double expected) {
  return fmt::format("element {} is {}, not {}", i, actual, expected);
}

std::string product_difference(const OperatorCase& test, const Tensor& actual, MatmulType matmul) {
  const Tensor value = exact(test.graph, test.inputs);
  const Tensor magnitude = magnitudes(test, matmul);
  const double bound = product_bound(matmul, test.depth);
  for (std::size_t i = 0; i < actual.data<float>().size(); ++i) {
    const auto element = static_cast<double>(actual.data<float>()[i]);
    const double expected = value.data<double>()[i];
    if (std::abs(element - expected) <= bound * magnitude.data<double>()[i]) continue;
    return wrong_element(i, element, expected);
  }
  return "";
}

std::string element_difference(const Tensor& actual, const Tensor& expected, Closeness closeness) {
  if (actual.value_type() != expected.value_type()) {
    return fmt::format("is {}, not {}", to_string(actual.value_type()),
                       to_string(expected.value_type()));
  }
  if (actual.type() != DataType::kFloat32) return actual == expected ? "" : "elements differ";
  const auto close = closeness == Closeness::kBits ? same : neighbors;
  for (std::size_t i = 0; i < actual.data<float>().size(); ++i) {
    const float a = actual.data<float>()[i];
    const float e = expected.data<float>()[i];
    if (!close(a, e)) return wrong_element(i, static_cast<double>(a), static_cast<double>(e));
  }
  return "";
}

struct Tally {
  int cases = 0;
  std::string problem = {};
};

/// Runs a case and counts it. Keeps the problem of the operator's first failing case, with its
/// round.
void tally(Tally& into, const OperatorCase& test, const std::shared_ptr<Device>& device,
           MatmulType matmul, int round) {
  ++into.cases;
  const std::string problem = difference(test, device, matmul);
  if (problem.empty() || !into.problem.empty()) return;
  into.problem = fmt::format("round {}, {}: {} in {}", round, to_string(matmul), problem,
                             graph::to_text(test.graph));
}

void run_cases(const std::vector<OperatorCase>& cases, const std::shared_ptr<Device>& device,
               int round, std::map<graph::Op, Tally>& tallies) {
  for (const OperatorCase& test : cases) {
    Tally& own = tallies[test.graph.nodes[0].op];
    if (test.closeness != Closeness::kProduct) {
      tally(own, test, device, MatmulType::kFloat32, round);
      continue;
    }
    for (const MatmulType type : kFloatTypes) tally(own, test, device, type, round);
  }
}

}  // namespace

std::string difference(const OperatorCase& test, const NamedTensors& actual, MatmulType matmul) {
  if (test.closeness == Closeness::kProduct) {
    return product_difference(test, actual.begin()->second, matmul);
  }
  for (const auto& [name, expected] : reference::run_graph(test.graph, test.inputs)) {
    const std::string problem = element_difference(actual.at(name), expected, test.closeness);
    if (!problem.empty()) return fmt::format("output {}: {}", name, problem);
  }
  return "";
}

std::string difference(const OperatorCase& test, const std::shared_ptr<Device>& device,
                       MatmulType matmul) {
  try {
    DeviceRunOptions options;
    options.matmul = matmul;
    DeviceGraphRunner runner(test.graph, device, options);
    if (!runner.cpu_nodes().empty()) return "runs on the CPU reference";
    return difference(test, runner.run(test.inputs), matmul);
  } catch (const InputError& error) {
    return error.what();
  }
}

std::vector<Outcome> check_operators(const std::shared_ptr<Device>& device, std::uint64_t seed,
                                     int rounds) {
  Generator generator(seed);
  std::map<graph::Op, Tally> tallies;
  for (int round = 0; round < rounds; ++round) {
    for (const auto family : {elementwise_cases, reduction_cases, window_cases, contraction_cases,
                              movement_cases, indexed_cases}) {
      run_cases(family(generator), device, round, tallies);
    }
  }
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    if (!device_operator(op).function) continue;
    const Tally& own = tallies[op];
    outcomes.push_back({std::string(graph::to_string(op)), own.cases > 0 && own.problem.empty(),
                        own.problem.empty() ? fmt::format("{} nodes", own.cases) : own.problem});
  }
  return outcomes;
}

}  // namespace weft::cuda
