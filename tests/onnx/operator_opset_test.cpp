// Operators of the files that exporters write today, in the opsets in which they have changed.
// Expected elements are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Tensor;
using ::onnx::TensorProto;
using testing_support::Model;
using testing_support::set;

/// The model's output y.
Tensor result_of(const Model& model, const reference::NamedTensors& inputs) {
  return reference::run_graph(model.import({.evaluate = reference::evaluate}), inputs).at("y");
}

// K was an attribute before opset 10.
TEST(OperatorOpsetTest, TopKOfEveryOpsetGivesTheLargestElements) {
  for (const std::int64_t opset : {6, 9, 10, 11, 17}) {
    Model model(opset);
    model.input("x", {4}).output("y");
    const bool has_input = opset >= 10;
    if (has_input) model.ints("k", {2});
    auto& top = has_input ? model.node("TopK", {"x", "k"}, {"y", "i"})
                          : model.node("TopK", {"x"}, {"y", "i"});
    if (!has_input) set(top, "k", std::int64_t{2});
    EXPECT_EQ(result_of(model, {{"x", Tensor::vector<float>({1, 4, 2, 3})}}),
              Tensor::vector<float>({4, 3}))
        << opset;
  }
}

TEST(OperatorOpsetTest, ScatterNdOfEveryOpsetReplacesElements) {
  for (const std::int64_t opset : {11, 13, 16, 17}) {
    Model model(opset);
    model.input("x", {3}).output("y").floats("u", {9});
    auto& index = model.initializer("i", TensorProto::INT64, {1, 1});
    index.add_int64_data(-1);
    auto& scatter = model.node("ScatterND", {"x", "i", "u"}, {"y"});
    const bool adds = opset >= 16;
    if (adds) set(scatter, "reduction", std::string("add"));
    EXPECT_EQ(result_of(model, {{"x", Tensor::vector<float>({1, 2, 3})}}),
              Tensor::vector<float>({1, 2, adds ? 12.0F : 9.0F}))
        << opset;
  }
}

struct Since {
  std::string op;
  std::int64_t opset;
  float expected;  // of -1.5
};

TEST(OperatorOpsetTest, FunctionsAreReadFromTheirFirstOpsetsOn) {
  const std::vector<Since> functions = {{"Floor", 6, -2},
                                        {"Ceil", 6, -1},
                                        {"Sign", 9, -1},
                                        {"Round", 11, -2},
                                        {"Sin", 7, std::sin(-1.5F)},
                                        {"Cos", 7, std::cos(-1.5F)},
                                        {"ReduceProd", 6, -1.5F}};
  for (const Since& since : functions) {
    for (const std::int64_t opset : {since.opset, std::max<std::int64_t>(13, since.opset)}) {
      Model model(opset);
      model.input("x", {1}).output("y");
      model.node(since.op, {"x"}, {"y"});
      EXPECT_FLOAT_EQ(result_of(model, {{"x", Tensor::vector<float>({-1.5F})}}).data<float>()[0],
                      since.expected)
          << since.op << " of opset " << opset;
    }
  }
}

TEST(OperatorOpsetTest, IndexedOperatorsAreReadFromTheirFirstOpsetsOn) {
  for (const std::int64_t opset : {11, 12, 17}) {
    Model model(opset);
    model.input("x", {2, 2})
        .output("y")
        .ints("axis", {1})
        .floats("values", {0, 1})
        .ints("depth", {3});
    auto& index = model.initializer("i", TensorProto::INT64, {2, 1});
    index.add_int64_data(1);
    index.add_int64_data(0);
    set(model.node("GatherElements", {"x", "i"}, {"g"}), "axis", std::int64_t{1});
    model.node("GatherND", {"x", "i"}, {"h"});  // rows 1 and 0
    auto& scalar = model.initializer("a", TensorProto::INT64, {});
    scalar.add_int64_data(0);
    model.node("CumSum", {"h", "a"}, {"c"});                // row 1, rows 1 and 0
    model.node("OneHot", {"i", "depth", "values"}, {"o"});  // [2, 1, 3]
    auto& sum = model.node("ReduceMax", {"o"}, {"m"});      // 1
    set(sum, "keepdims", std::int64_t{0});
    model.node("Add", {"c", "m"}, {"d"});
    model.node("Mul", {"d", "g"}, {"y"});  // g = [2, 3]
    EXPECT_EQ(result_of(model, {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}}),
              Tensor::of<float>({2, 2}, {2 * 4, 2 * 5, 3 * 5, 3 * 7}))
        << opset;
  }
}

}  // namespace
}  // namespace weft::onnx_io
