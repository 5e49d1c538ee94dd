#include "models/networks/sample_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/graph/builder/builder.h"
#include "models/networks/digits.h"
#include "models/networks/networks.h"

namespace weft::networks {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Op;
using graph::Tensor;

TEST(SampleInputsTest, HaveTheTypesOfTheInputs) {
  for (const NetworkInfo& info : networks()) {
    const Graph graph = build_network(info.name, {.batch = 2});
    const auto inputs = sample_inputs(graph, 1);
    ASSERT_EQ(inputs.size(), graph.inputs.size());
    for (const graph::ValueId input : graph.inputs) {
      EXPECT_EQ(inputs.at(graph.values[input].name).value_type(), graph.type(input)) << info.name;
    }
  }
}

TEST(SampleInputsTest, AreDigitsWhereDigitsFit) {
  const Digits digits = draw_digits(3, 9);
  EXPECT_EQ(sample_inputs(build_network("lenet5", {.batch = 3}), 9).at("image"), digits.images);
  EXPECT_EQ(sample_inputs(build_network("mlp", {.batch = 3}), 9).at("image"),
            digits.images.reshaped({3, 784}));
}

TEST(SampleInputsTest, HaveMeanZeroAndVarianceOneElsewhere) {
  const Tensor image = sample_inputs(build_network("resnet18"), 4).at("image");
  double sum = 0;
  double squares = 0;
  for (const float value : image.data<float>()) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(image.size());
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(SampleInputsTest, NumberRowsOfTheTableThatTheyChooseFrom) {
  const Graph graph = build_network("bert-base", {.batch = 4});
  const auto inputs = sample_inputs(graph, 2);
  const auto words = inputs.at("input_ids").data<std::int64_t>();
  const auto types = inputs.at("token_type_ids").data<std::int64_t>();
  EXPECT_GE(std::ranges::min(words), 0);
  EXPECT_LT(std::ranges::max(words), 30522);
  EXPECT_GT(std::ranges::max(words), 30522 / 2);
  EXPECT_EQ(std::set<std::int64_t>(types.begin(), types.end()), (std::set<std::int64_t>{0, 1}));
}

TEST(SampleInputsTest, ServeTypesThatOnlyImportedNetworksHave) {
  graph::Builder builder("types");
  const graph::Shape shape{1000};
  for (const DataType type : {DataType::kFloat16, DataType::kFloat64, DataType::kUint8,
                              DataType::kInt8, DataType::kInt32, DataType::kBool}) {
    builder.output(builder.add(Op::kIdentity, {builder.input("in_" + std::string(to_string(type)),
                                                             {type, shape})}),
                   std::string(to_string(type)));
  }
  const auto inputs = sample_inputs(builder.finish(), 3);
  const auto distinct = [](const auto values) {
    std::set<double> set;
    for (const auto value : values) set.insert(static_cast<double>(value));
    return set.size();
  };
  EXPECT_GT(distinct(inputs.at("in_float64").data<double>()), 900U);
  EXPECT_GT(distinct(inputs.at("in_uint8").data<std::uint8_t>()), 200U);
  EXPECT_GT(distinct(inputs.at("in_int8").data<std::int8_t>()), 200U);
  EXPECT_EQ(distinct(inputs.at("in_int32").data<std::int32_t>()), 1U);  // no table to index: 0
  EXPECT_EQ(distinct(inputs.at("in_bool").data<bool>()), 1U);
  EXPECT_FALSE(inputs.at("in_float16") == Tensor(DataType::kFloat16, shape));
}

TEST(SampleInputsTest, AreTheSameForTheSameSeed) {
  const Graph graph = build_network("gpt2", {.sequence = 9});
  EXPECT_EQ(sample_inputs(graph, 1), sample_inputs(graph, 1));
  EXPECT_NE(sample_inputs(graph, 1), sample_inputs(graph, 2));
}

}  // namespace
}  // namespace weft::networks
