// Checks each operator's formula against a hand count on a small node. Extents are different
// primes, so that no factor can stand in for another.

#include "models/networks/count.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"

namespace weft::networks {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using Ints = std::vector<std::int64_t>;

class Net {
 public:
  ValueId input(Shape shape, DataType type = DataType::kFloat32) {
    return builder_.input(std::string("x").append(std::to_string(inputs_++)),
                          {type, std::move(shape)});
  }
  ValueId weight(Shape shape, DataType type = DataType::kFloat32) {
    return builder_.constant(Tensor(type, std::move(shape)));
  }
  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return builder_.add(op, std::move(inputs), std::move(attributes));
  }
  Graph finish(ValueId value) {
    builder_.output(value, "y");
    return builder_.finish();
  }

 private:
  Builder builder_{"net"};
  int inputs_ = 0;
};

std::uint64_t macs_of(Op op, const std::vector<Shape>& shapes, const Attributes& attributes = {}) {
  Net net;
  std::vector<ValueId> inputs;
  for (const Shape& shape : shapes) inputs.push_back(net.input(shape));
  return count_macs(net.finish(net.add(op, inputs, attributes)));
}

TEST(CountMacsTest, OfAConvolutionAreTapsTimesOutputs) {
  // The output is 2 x 6 x (11-5+1) x (13-3+1).
  EXPECT_EQ(macs_of(Op::kConv, {{2, 4, 11, 13}, {6, 4, 5, 3}}), 2U * 6 * 7 * 11 * (4 * 5 * 3));
  EXPECT_EQ(macs_of(Op::kConv, {{2, 4, 11, 13}, {6, 2, 5, 3}}, {{"group", std::int64_t{2}}}),
            2U * 6 * 7 * 11 * (2 * 5 * 3));
}

TEST(CountMacsTest, OfAConvolutionCountPaddingAndStrides) {
  // One dimension gives (10 + 2 - 3) / 2 + 1 = 5 outputs.
  EXPECT_EQ(
      macs_of(Op::kConv, {{1, 7, 10}, {5, 7, 3}}, {{"pads", Ints{1, 1}}, {"strides", Ints{2}}}),
      5U * 5 * 7 * 3);
}

TEST(CountMacsTest, OfATransposedConvolutionAreTapsTimesInputs) {
  EXPECT_EQ(macs_of(Op::kConvTranspose, {{2, 3, 5, 7}, {3, 11, 4, 4}}),
            2U * 3 * 5 * 7 * (11 * 4 * 4));
  EXPECT_EQ(
      macs_of(Op::kConvTranspose, {{2, 6, 5, 7}, {6, 11, 4, 4}}, {{"group", std::int64_t{2}}}),
      2U * 6 * 5 * 7 * (11 * 4 * 4));
}

TEST(CountMacsTest, OfAMatrixProductCountTheBatch) {
  EXPECT_EQ(macs_of(Op::kMatMul, {{3, 5}, {5, 7}}), 3U * 5 * 7);
  EXPECT_EQ(macs_of(Op::kMatMul, {{2, 1, 3, 5}, {11, 5, 7}}), 2U * 11 * 3 * 5 * 7);
  EXPECT_EQ(macs_of(Op::kMatMul, {{5}, {5, 7}}), 5U * 7);
  EXPECT_EQ(macs_of(Op::kMatMul, {{3, 5}, {5}}), 3U * 5);
  EXPECT_EQ(macs_of(Op::kMatMul, {{5}, {5}}), 5U);
}

TEST(CountMacsTest, OfAGemmFollowItsTranspositions) {
  EXPECT_EQ(macs_of(Op::kGemm, {{3, 5}, {5, 7}}), 3U * 5 * 7);
  EXPECT_EQ(macs_of(Op::kGemm, {{5, 3}, {7, 5}},
                    {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}),
            3U * 5 * 7);
}

TEST(CountMacsTest, OfRecurrentNetworksCountGatesAndDirections) {
  // There are 11 steps, batch 2, 5 inputs and 3 units.
  const auto macs = [](Op op, std::int64_t gates, std::int64_t directions) {
    return macs_of(op, {{11, 2, 5}, {directions, gates * 3, 5}, {directions, gates * 3, 3}},
                   {{"hidden_size", std::int64_t{3}},
                    {"direction", directions == 2 ? std::string("bidirectional") : "forward"}});
  };
  EXPECT_EQ(macs(Op::kLstm, 4, 1), 11U * 2 * 4 * 3 * (5 + 3));
  EXPECT_EQ(macs(Op::kLstm, 4, 2), 2 * 11U * 2 * 4 * 3 * (5 + 3));
  EXPECT_EQ(macs(Op::kGru, 3, 1), 11U * 2 * 3 * 3 * (5 + 3));
  EXPECT_EQ(macs(Op::kRnn, 1, 1), 11U * 2 * 1 * 3 * (5 + 3));
}

/// Builds x and weights for QLinear operators: int8 values with scale and zero point.
struct Quantized {
  explicit Quantized(Net& from) : net(from) {}
  std::vector<ValueId> with_scale(ValueId value) {
    return {value, net.weight({}), net.weight({}, DataType::kInt8)};
  }
  Net& net;
};

std::vector<ValueId> joined(std::initializer_list<std::vector<ValueId>> parts) {
  std::vector<ValueId> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(CountTest, OfAQuantizedConvolutionIsThatOfItsWeights) {
  Net net;
  Quantized quantized(net);
  const ValueId scale = net.weight({});
  const ValueId zero = net.weight({}, DataType::kInt8);
  const auto inputs = joined({quantized.with_scale(net.input({1, 3, 9, 9}, DataType::kInt8)),
                              quantized.with_scale(net.weight({5, 3, 2, 2}, DataType::kInt8)),
                              {scale, zero, net.weight({5}, DataType::kInt32)}});
  const Graph graph = net.finish(net.add(Op::kQLinearConv, inputs));
  EXPECT_EQ(count_macs(graph), 5U * 8 * 8 * 3 * 2 * 2);
  EXPECT_EQ(count_parameters(graph), 5U * 3 * 2 * 2 + 5);
}

TEST(CountTest, OfAQuantizedMatrixProductIsThatOfItsWeights) {
  Net net;
  Quantized quantized(net);
  const auto inputs = joined({quantized.with_scale(net.input({3, 5}, DataType::kInt8)),
                              quantized.with_scale(net.weight({5, 7}, DataType::kInt8)),
                              {net.weight({}), net.weight({}, DataType::kInt8)}});
  const Graph graph = net.finish(net.add(Op::kQLinearMatMul, inputs));
  EXPECT_EQ(count_macs(graph), 3U * 5 * 7);
  EXPECT_EQ(count_parameters(graph), 5U * 7);
}

TEST(CountTest, OfIntegerContractionsIsThatOfTheirWeights) {
  Net net;
  const ValueId x = net.input({1, 3, 9, 9}, DataType::kUint8);
  const Graph conv =
      net.finish(net.add(Op::kConvInteger, {x, net.weight({5, 3, 2, 2}, DataType::kUint8)}));
  EXPECT_EQ(count_macs(conv), 5U * 8 * 8 * 3 * 2 * 2);
  EXPECT_EQ(count_parameters(conv), 5U * 3 * 2 * 2);
  Net other;
  const ValueId a = other.input({3, 5}, DataType::kUint8);
  const Graph product =
      other.finish(other.add(Op::kMatMulInteger, {a, other.weight({5, 7}, DataType::kInt8)}));
  EXPECT_EQ(count_macs(product), 3U * 5 * 7);
  EXPECT_EQ(count_parameters(product), 5U * 7);
}

TEST(CountMacsTest, AreNoneElsewhere) {
  EXPECT_EQ(macs_of(Op::kRelu, {{3, 5}}), 0U);
  EXPECT_EQ(macs_of(Op::kMul, {{3, 5}, {3, 5}}), 0U);
  EXPECT_EQ(macs_of(Op::kMaxPool, {{1, 3, 8, 8}}, {{"kernel_shape", Ints{2, 2}}}), 0U);
}

TEST(CountMacsTest, ThatDoNotFitAreAnError) {
  const std::int64_t large = std::int64_t{1} << 31;
  EXPECT_THROW(macs_of(Op::kMatMul, {{large, large}, {large, 2}}), InputError);
}

TEST(CountParametersTest, CountsASharedWeightOnce) {
  Net net;
  const ValueId table = net.weight({11, 7});
  const ValueId tokens = net.input({3}, DataType::kInt64);
  const ValueId rows = net.add(Op::kGather, {table, tokens});
  const Graph graph = net.finish(net.add(Op::kGemm, {rows, table}, {{"transB", std::int64_t{1}}}));
  EXPECT_EQ(count_parameters(graph), 77U);
}

TEST(CountParametersTest, LeavesOutTheStatisticsOfBatchNormalization) {
  Net net;
  std::vector<ValueId> inputs = {net.input({2, 13, 4, 4})};
  for (int i = 0; i < 4; ++i) inputs.push_back(net.weight({13}));
  EXPECT_EQ(count_parameters(net.finish(net.add(Op::kBatchNormalization, inputs))), 2U * 13);
}

TEST(CountParametersTest, TellsABiasBeforeASoftmaxFromAMask) {
  Net net;
  const ValueId biased = net.add(Op::kAdd, {net.input({3, 7}), net.weight({7})});
  const ValueId scores = net.add(Op::kSoftmax, {biased});
  const ValueId masked = net.add(Op::kAdd, {scores, net.weight({3, 7})});
  EXPECT_EQ(count_parameters(net.finish(net.add(Op::kSoftmax, {masked}))), 7U);
}

TEST(CountParametersTest, LeavesOutScalarsAndShapes) {
  Net net;
  const ValueId half = net.add(Op::kMul, {net.input({3, 8}), net.weight({})});
  Builder builder("shapes");
  const ValueId x = builder.input("x", {DataType::kFloat32, {3, 8}});
  const ValueId to = builder.constant(Tensor::vector<std::int64_t>({4, 6}));
  builder.output(builder.add(Op::kReshape, {x, to}), "y");
  EXPECT_EQ(count_parameters(builder.finish()), 0U);
  EXPECT_EQ(count_parameters(net.finish(half)), 0U);
}

TEST(CountParametersTest, SeesThroughDequantization) {
  Net net;
  const ValueId weight = net.add(
      Op::kDequantizeLinear,
      {net.weight({5, 7}, DataType::kInt8), net.weight({}), net.weight({}, DataType::kInt8)});
  const Graph graph = net.finish(net.add(Op::kMatMul, {net.input({3, 5}), weight}));
  EXPECT_EQ(count_parameters(graph), 35U);
}

}  // namespace
}  // namespace weft::networks
