// The importer and the CPU reference must pass the ONNX project's node tests. Every folder is run
// unless an exclusion covers it. The importer must refuse excluded tests, so that no exclusion
// outlives its reason.
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"
#include "compiler/onnx/tensor_file.h"
#include "models/reference/cpu/run_graph.h"
#include "pe/float_formats.h"
#include "tests/onnx/node_cases.h"

namespace weft::onnx_io::testing {
namespace {

using graph::Tensor;

// Tighter than ONNX's test runner (onnx/backend/test/runner), which allows a relative 1e-3.
constexpr double kRelative = 1e-5;
constexpr double kAbsolute = 1e-7;

struct Tolerance {
  std::string_view name_part;
  double relative;
};

/// Tests whose published outputs are themselves less exact.
constexpr std::array kLooser = std::to_array<Tolerance>({
    {"window_", 1e-3},                  // computed with a binary64 pi; the model has a binary32 one
    {"test_gridsample_bicubic", 1e-3},  // printed with four decimals
});

double relative_tolerance(const std::string& test) {
  for (const Tolerance& looser : kLooser) {
    if (test.find(looser.name_part) != std::string::npos) return looser.relative;
  }
  return kRelative;
}

bool close(double actual, double expected, double relative) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return actual == expected;
  return std::abs(actual - expected) <= kAbsolute + relative * std::abs(expected);
}

template <class T>
double as_double(T value) {
  if constexpr (std::is_same_v<T, graph::Half>) {
    return static_cast<double>(to_float(Fp16{value.bits}));
  } else {
    return static_cast<double>(value);
  }
}

std::string difference(const Tensor& actual, const Tensor& expected, double relative) {
  if (actual.value_type() != expected.value_type()) {
    return to_string(actual.value_type()) + " instead of " + to_string(expected.value_type());
  }
  if (!graph::is_float(actual.type())) return actual == expected ? "" : "elements differ";
  return graph::with_type(actual.type(), [&]<class T>(T) -> std::string {
    const auto a = actual.data<T>();
    const auto e = expected.data<T>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (close(as_double(a[i]), as_double(e[i]), relative)) continue;
      return "element " + std::to_string(i) + " is " + std::to_string(as_double(a[i])) +
             " instead of " + std::to_string(as_double(e[i]));
    }
    return "";
  });
}

/// Describes the failure; empty if the test passes.
std::string failure(const NodeCase& test) {
  try {
    reference::NamedTensors inputs = read_inputs(test);
    const graph::Graph graph = import(test, inputs);
    keep_inputs(graph, inputs);
    const auto outputs = reference::run_graph(graph, inputs);
    for (int i = 0; i < test.model.graph().output_size(); ++i) {
      const auto& output = test.model.graph().output(i);
      const std::string& name = output.name();
      const std::string problem =
          difference(outputs.at(name), read_value(test.file("output", i), output),
                     relative_tolerance(test.name()));
      if (!problem.empty()) return "output " + name + ": " + problem;
    }
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

bool is_refused(const NodeCase& test) {
  try {
    import(test, read_inputs(test));
    return false;
  } catch (const InputError&) {
    return true;
  }
}

/// Describes what is wrong with the exported model of the imported graph; empty if it is correct.
std::string export_failure(const NodeCase& test) {
  reference::NamedTensors inputs = read_inputs(test);
  const graph::Graph graph = import(test, inputs);
  keep_inputs(graph, inputs);
  const std::string bytes = onnx_io::to_onnx_bytes(graph);
  ::onnx::ModelProto model;
  model.ParseFromString(bytes);
  try {
    ::onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    return error.what();
  }
  const graph::Graph again = onnx_io::import_onnx_bytes(std::as_bytes(std::span(bytes)), "written");
  const bool same = reference::run_graph(again, inputs) == reference::run_graph(graph, inputs);
  return same ? "" : "computes something else";
}

TEST(OnnxNodeTest, PassesEveryNodeTestThatIsNotExcludedForAReason) {
  std::map<std::string, std::vector<std::string>> excluded;
  int passed = 0;
  const auto all = folders();
  for (const auto& folder : all) {
    const NodeCase test = read_case(folder);
    if (const auto reason = exclusion(test)) {
      excluded[*reason].push_back(test.name());
      const bool is_expected = is_refused(test) != wider(test).has_value();
      EXPECT_TRUE(is_expected) << test.name() << " is excluded, but runs: " << *reason;
      continue;
    }
    const std::string problem = failure(test);
    EXPECT_EQ(problem, "") << test.name();
    passed += problem.empty() ? 1 : 0;
  }
  for (const auto& [reason, names] : excluded) {
    std::cout << reason << ":\n";
    for (const std::string& name : names) std::cout << "  " << name << '\n';
  }
  std::cout << passed << " of " << all.size() << " node tests pass\n";
  EXPECT_GT(passed, 400) << "too few tests: is this ONNX's test data?";
}

TEST(OnnxNodeTest, WritesWhatItHasReadAsAModelThatOnnxAcceptsAndThatComputesTheSame) {
  for (const auto& folder : folders()) {
    const NodeCase test = read_case(folder);
    if (exclusion(test)) continue;
    EXPECT_EQ(export_failure(test), "") << test.name();
  }
}

}  // namespace
}  // namespace weft::onnx_io::testing
