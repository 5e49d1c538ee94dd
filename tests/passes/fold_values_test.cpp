// Networks give the same values before and after folding and fusing, on the CPU reference.
//
// Fusing keeps the bits: the reference adds bias, residual and activation in the order of the
// separate operators, with the same roundings. Folding a BatchNormalization rounds each weight once
// more: with u = 2^-24 and K products, |difference| <= (2K + 8) u sum|w x| + ... kFoldBound is far
// above this for the sizes here, and far below the effect of any mistake.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/graph/operator_table.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/simplify/decompose_conv_transpose.h"
#include "compiler/passes/simplify/fold_batch_norm.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

using Integers = std::vector<std::int64_t>;
constexpr double kFoldBound = 1e-5;

/// `add` appends a layer to a value [N, 6, H, W] or [M, 6] and returns the result.
struct Layer {
  std::string name;
  std::function<ValueId(Builder&, Random&, ValueId)> add;
};

ValueId constant(Builder& builder, Random& random, Shape shape) {
  return builder.constant(random_floats(random, std::move(shape)));
}

Layer conv(std::string name, std::int64_t group, bool bias) {
  return {std::move(name), [=](Builder& b, Random& r, ValueId x) {
            std::vector<ValueId> inputs = {x, constant(b, r, {6, 6 / group, 3, 3})};
            if (bias) inputs.push_back(constant(b, r, {6}));
            return b.add(Op::kConv, inputs, {{"group", group}, {"pads", Integers{1, 1, 1, 1}}});
          }};
}

Layer transposed_conv(std::string name, std::int64_t group, bool bias) {
  return {std::move(name), [=](Builder& b, Random& r, ValueId x) {
            std::vector<ValueId> inputs = {x, constant(b, r, {6, 6 / group, 3, 3})};
            if (bias) inputs.push_back(constant(b, r, {6}));
            return b.add(Op::kConvTranspose, inputs,
                         {{"group", group}, {"pads", Integers{1, 1, 1, 1}}});
          }};
}

Layer gemm(std::string name, std::int64_t transposed, const Shape& bias, float alpha, float beta) {
  return {
      std::move(name), [=](Builder& b, Random& r, ValueId x) {
        std::vector<ValueId> inputs = {x, constant(b, r, {6, 6})};
        if (!bias.empty()) inputs.push_back(constant(b, r, bias));
        return b.add(Op::kGemm, inputs, {{"transB", transposed}, {"alpha", alpha}, {"beta", beta}});
      }};
}

std::vector<Layer> image_layers() {
  return {conv("Conv", 1, false),
          conv("ConvWithBias", 1, true),
          conv("GroupedConv", 2, true),
          conv("DepthwiseConv", 6, false),
          transposed_conv("ConvTranspose", 1, false),
          transposed_conv("GroupedConvTranspose", 3, true)};
}

std::vector<Layer> matrix_layers() {
  return {gemm("Gemm", 0, {}, 1, 1),
          gemm("GemmTransposed", 1, {6}, 1, 1),
          gemm("GemmScaled", 0, {1, 6}, 0.5F, -2),
          gemm("GemmOfOneBias", 0, {1}, 1, 3),
          {"MatMul", [](Builder& b, Random& r, ValueId x) {
             return b.add(Op::kMatMul, {x, constant(b, r, {6, 6})});
           }}};
}

class FoldBatchNormValuesTest : public ::testing::TestWithParam<Layer> {};

TEST_P(FoldBatchNormValuesTest, KeepsTheValues) {
  Random random(11);
  Builder builder("net");
  const bool is_image = GetParam().name.find("Conv") != std::string::npos;
  const ValueId x = input(builder, is_image ? Shape{2, 6, 5, 4} : Shape{7, 6});
  const ValueId product = GetParam().add(builder, random, x);
  const Graph before = finish(builder, batch_norm(builder, random, product, 6));
  const Graph after = fold_batch_norm(before);
  EXPECT_EQ(after.nodes.size(), 1U) << ops(after);
  expect_close(before, after, random, kFoldBound);
}

std::string name_of(const ::testing::TestParamInfo<Layer>& layer) {
  return layer.param.name;
}

INSTANTIATE_TEST_SUITE_P(Images, FoldBatchNormValuesTest, ::testing::ValuesIn(image_layers()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Matrices, FoldBatchNormValuesTest, ::testing::ValuesIn(matrix_layers()),
                         name_of);

TEST(FoldBatchNormValuesTest, KeepsTheValuesAfterAnythingElse) {
  Random random(12);
  Builder builder("net");
  const ValueId x = builder.add(Op::kTanh, {input(builder, {2, 5, 3, 4})});
  const Graph before = finish(builder, batch_norm(builder, random, x, 5));
  expect_close(before, fold_batch_norm(before), random, kFoldBound);
}

TEST(FoldBatchNormValuesTest, LeavesAGemmWithABiasOfRows) {
  Random random(13);
  Builder builder("net");
  const ValueId x = input(builder, {7, 6});
  const ValueId product = builder.add(
      Op::kGemm, {x, constant(builder, random, {6, 6}), constant(builder, random, {7, 1})});
  const Graph before = finish(builder, batch_norm(builder, random, product, 6));
  const Graph after = fold_batch_norm(before);
  EXPECT_EQ(ops(after), "Gemm Mul Add");
  expect_close(before, after, random, kFoldBound);
}

/// Random chains of all layers that optimize() folds and fuses. Some values are used twice, so that
/// some patterns must not match.
class RandomNetwork {
 public:
  explicit RandomNetwork(unsigned seed) : random_(seed) {}

  Graph make(bool with_batch_norm) {
    ValueId x = input(builder_, {1, 6, 5, 5});
    for (int i = 0; i < 12; ++i) x = layer(x, with_batch_norm);
    return finish(builder_, x);
  }
  Random& random() { return random_; }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  ValueId layer(ValueId x, bool with_batch_norm) {
    kept_.push_back(x);
    switch (below(with_batch_norm ? 7 : 6)) {
      case 0:
      case 1:
        return image_layers()[below(6)].add(builder_, random_, x);
      case 2:
        return builder_.add(Op::kAdd, {constant(builder_, random_, {1, 6, 1, 1}), x});
      case 3:
        return builder_.add(Op::kAdd, {x, kept_[below(kept_.size())]});
      case 4:
        return activation(x);
      case 5:
        return builder_.add(Op::kIdentity, {x});
      default:
        return batch_norm(builder_, random_, x, 6);
    }
  }

  ValueId activation(ValueId x) {
    static const std::vector<Op> kOps = graph::operators_with(graph::Trait::kActivation);
    const Op op = below(8) == 0 ? Op::kClip : kOps[below(kOps.size())];
    if (op != Op::kClip) return builder_.add(op, {x});
    const ValueId low = builder_.constant(Tensor::scalar(-0.5F));
    const ValueId high = builder_.constant(Tensor::scalar(2.0F));
    return builder_.add(op, {x, below(2) == 0 ? low : kNone, high});
  }

  Random random_;
  Builder builder_{"random"};
  std::vector<ValueId> kept_;
};

TEST(OptimizeTest, KeepsTheBitsOfNetworksWithoutNormalization) {
  std::size_t fused = 0;
  std::size_t biases = 0;
  std::size_t residuals = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNetwork network(seed);
    // Decomposing a ConvTranspose into convolutions changes the order of its sums.
    const Graph before = decompose_conv_transpose(network.make(false));
    const Graph after = optimize(before, reference::evaluate);
    expect_same_bits(before, after, network.random());
    for (const Node& node : after.nodes) {
      fused += node.attributes.has("activation") ? 1U : 0U;
      residuals += node.op == Op::kConv && node.input(3) != kNone ? 1U : 0U;
    }
    biases += count(before, Op::kAdd) - count(after, Op::kAdd);
  }
  EXPECT_GT(fused, 20U);
  EXPECT_GT(residuals, 10U);
  EXPECT_GT(biases, residuals + 10U);
}

TEST(OptimizeTest, KeepsTheValuesOfNetworksUpToRounding) {
  std::size_t folded = 0;
  for (unsigned seed = 100; seed < 140; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNetwork network(seed);
    const Graph before = network.make(true);
    const Graph after = optimize(before, reference::evaluate);
    expect_close(before, after, network.random(), 1e-3);
    EXPECT_EQ(count(after, Op::kBatchNormalization), 0U);
    folded += count(before, Op::kBatchNormalization) - count(after, Op::kMul);
  }
  EXPECT_GT(folded, 10U);
}

TEST(OptimizeTest, ChangesNothingTheSecondTime) {
  for (unsigned seed = 200; seed < 220; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Graph once = optimize(RandomNetwork(seed).make(true), reference::evaluate);
    EXPECT_EQ(graph::to_text(optimize(once, reference::evaluate)), graph::to_text(once));
  }
}

// Rotary embeddings: their tables are sines and cosines of constants.
TEST(OptimizeTest, FoldsSinesAndCosinesOfConstants) {
  Random random(15);
  Builder builder("net");
  const ValueId angles = constant(builder, random, {5, 6});
  const ValueId x = input(builder, {2, 5, 6});
  const ValueId a = builder.add(Op::kMul, {x, builder.add(Op::kCos, {angles})});
  const ValueId b = builder.add(Op::kMul, {x, builder.add(Op::kSin, {angles})});
  const Graph before = finish(builder, builder.add(Op::kAdd, {a, b}));
  const Graph after = optimize(before, reference::evaluate);
  EXPECT_EQ(ops(after), "Mul Mul Add");
  expect_same_bits(before, after, random);
}

TEST(OptimizeTest, FoldsWhatAnImporterLeavesBehind) {
  Random random(14);
  Builder builder("net");  // without an evaluator, so nothing is folded yet
  const ValueId weights = constant(builder, random, {5, 6});
  const ValueId turned = builder.add(Op::kTranspose, {weights}, {{"perm", Integers{1, 0}}});
  const ValueId product = builder.add(Op::kMatMul, {input(builder, {2, 6}), turned});
  const ValueId sum = builder.add(Op::kAdd, {product, constant(builder, random, {5})});
  const Graph before = finish(builder, builder.add(Op::kDropout, {sum}));
  const Graph after = optimize(before, reference::evaluate);
  EXPECT_EQ(ops(after), "MatMul");
  expect_same_bits(before, after, random);
}

}  // namespace
}  // namespace weft::passes::testing
