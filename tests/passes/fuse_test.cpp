// When fold_batch_norm, fuse_bias, fuse_residual and fuse_activation apply, and when not.
#include <gtest/gtest.h>

#include "compiler/passes/fusion/fuse_activation.h"
#include "compiler/passes/fusion/fuse_bias.h"
#include "compiler/passes/fusion/fuse_residual.h"
#include "compiler/passes/simplify/fold_batch_norm.h"
#include "tests/passes/networks.h"

namespace weft::passes::testing {
namespace {

class FuseTest : public ::testing::Test {
 protected:
  ValueId constant(Shape shape) {
    return builder.constant(random_floats(random, std::move(shape)));
  }
  ValueId conv(ValueId x, std::int64_t inputs, std::int64_t outputs) {
    return builder.add(Op::kConv, {x, constant({outputs, inputs, 3, 3})},
                       {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
  }
  ValueId matmul(ValueId x, std::int64_t k, std::int64_t n) {
    return builder.add(Op::kMatMul, {x, constant({k, n})});
  }

  Random random{7};
  Builder builder{"net"};
};

using FoldBatchNormTest = FuseTest;
using FuseBiasTest = FuseTest;
using FuseResidualTest = FuseTest;
using FuseActivationTest = FuseTest;

TEST_F(FoldBatchNormTest, VanishesIntoAConvolution) {
  const ValueId x = input(builder, {1, 3, 8, 8});
  const Graph g = fold_batch_norm(finish(builder, batch_norm(builder, random, conv(x, 3, 4), 4)));
  EXPECT_EQ(ops(g), "Conv");
  EXPECT_EQ(g.nodes[0].inputs.size(), 3U);
}

TEST_F(FoldBatchNormTest, FoldsTwoInARow) {
  const ValueId x = input(builder, {1, 3, 8, 8});
  const ValueId once = batch_norm(builder, random, conv(x, 3, 4), 4);
  EXPECT_EQ(ops(fold_batch_norm(finish(builder, batch_norm(builder, random, once, 4)))), "Conv");
}

TEST_F(FoldBatchNormTest, BecomesMulAndAddAfterAnythingElse) {
  const ValueId x = input(builder, {2, 5});
  const Graph g = fold_batch_norm(finish(builder, batch_norm(builder, random, x, 5)));
  EXPECT_EQ(ops(g), "Mul Add");
}

TEST_F(FoldBatchNormTest, LeavesAConvolutionThatIsUsedTwice) {
  const ValueId x = input(builder, {1, 3, 8, 8});
  const ValueId product = conv(x, 3, 4);
  const ValueId y = batch_norm(builder, random, product, 4);
  const Graph g = fold_batch_norm(finish(builder, builder.add(Op::kAdd, {y, product})));
  EXPECT_EQ(ops(g), "Conv Mul Add Add");
}

TEST_F(FoldBatchNormTest, LeavesAMatMulOfWhichItScalesRows) {
  const ValueId x = input(builder, {2, 4, 6});
  const Graph g = fold_batch_norm(finish(builder, batch_norm(builder, random, matmul(x, 6, 5), 4)));
  EXPECT_EQ(ops(g), "MatMul Mul Add");
}

TEST_F(FoldBatchNormTest, MakesNoWeightsThatAreMadeOnDemand) {
  int made = 0;
  const ValueId x = input(builder, {1, 3, 8, 8});
  const ValueId w = builder.constant(lazy(random_floats(random, {4, 3, 1, 1}), &made));
  const ValueId product = builder.add(Op::kConv, {x, w});
  const Graph g = fold_batch_norm(finish(builder, batch_norm(builder, random, product, 4)));
  EXPECT_EQ(made, 0);
  ASSERT_EQ(ops(g), "Conv");
  const Constant& folded = *g.values[g.nodes[0].inputs[1]].constant;
  EXPECT_EQ(folded.ready(), nullptr);
  EXPECT_NE(g.values[g.nodes[0].inputs[2]].constant->ready(), nullptr);
  EXPECT_EQ(folded.tensor().shape(), (Shape{4, 3, 1, 1}));
  EXPECT_EQ(made, 1);
}

TEST_F(FuseBiasTest, TakesOneNumberAChannel) {
  const ValueId x = input(builder, {1, 3, 8, 8});
  const ValueId sum = builder.add(Op::kAdd, {constant({4, 1, 1}), conv(x, 3, 4)});
  const Graph g = fuse_bias(finish(builder, sum));
  ASSERT_EQ(ops(g), "Conv");
  EXPECT_EQ(g.type(g.nodes[0].inputs.at(2)).shape, Shape{4});
}

TEST_F(FuseBiasTest, TakesTheLastAxisOfAMatMul) {
  const ValueId x = input(builder, {2, 7, 3});
  const ValueId sum = builder.add(Op::kAdd, {matmul(x, 3, 5), constant({1, 1, 5})});
  EXPECT_EQ(ops(fuse_bias(finish(builder, sum))), "MatMul");
}

TEST_F(FuseBiasTest, LeavesOtherConstants) {
  const ValueId x = input(builder, {2, 7, 3});
  const ValueId rows = builder.add(Op::kAdd, {matmul(x, 3, 5), constant({7, 1})});
  const ValueId twice = builder.add(Op::kAdd, {matmul(rows, 5, 5), constant({5})});
  const ValueId second = builder.add(Op::kAdd, {twice, constant({5})});
  const ValueId wider = builder.add(Op::kAdd, {matmul(second, 5, 1), constant({5})});
  const Graph g = fuse_bias(finish(builder, wider));
  EXPECT_EQ(ops(g), "MatMul Add MatMul Add MatMul Add");
}

TEST_F(FuseBiasTest, LeavesAProductThatIsUsedTwice) {
  const ValueId x = input(builder, {2, 3});
  const ValueId product = matmul(x, 3, 5);
  const ValueId sum = builder.add(Op::kAdd, {product, constant({5})});
  const Graph g = fuse_bias(finish(builder, builder.add(Op::kMul, {sum, product})));
  EXPECT_EQ(ops(g), "MatMul Add Mul");
}

TEST_F(FuseResidualTest, TheLaterOfTwoTakesTheEarlier) {
  for (const bool swapped : {false, true}) {
    Builder both("net");
    const ValueId x = input(both, {2, 3});
    const auto product = [&](const char* name) {
      const ValueId w = both.constant(random_floats(random, {3, 5}));
      return both.add(Op::kMatMul, {x, w}, {}, name);
    };
    const ValueId first = product("first");
    const ValueId second = product("second");
    const std::vector<ValueId> operands = {swapped ? second : first, swapped ? first : second};
    const Graph g = fuse_residual(finish(both, both.add(Op::kAdd, operands)));
    ASSERT_EQ(ops(g), "MatMul MatMul");
    EXPECT_EQ(g.nodes[1].name, "second");
    ASSERT_EQ(g.nodes[1].inputs.size(), 4U);
    EXPECT_EQ(g.nodes[1].inputs[2], kNone);
    EXPECT_EQ(g.nodes[1].inputs[3], g.nodes[0].outputs[0]);
  }
}

TEST_F(FuseResidualTest, LeavesOperandsThatAreBroadcast) {
  const ValueId x = input(builder, {1, 3, 8, 8});
  const ValueId small = input(builder, {1, 4, 1, 1}, "s");
  const ValueId sum = builder.add(Op::kAdd, {conv(x, 3, 4), small});
  EXPECT_EQ(ops(fuse_residual(finish(builder, sum))), "Conv Add");
}

TEST_F(FuseResidualTest, TakesConstantsBesideConstantWeightsOnly) {
  const ValueId x = input(builder, {4, 4});
  const ValueId product = builder.add(Op::kMatMul, {x, constant({4, 4})});
  const ValueId sum = builder.add(Op::kAdd, {product, constant({4, 4})});
  const ValueId computed = builder.add(Op::kMatMul, {x, sum});
  const ValueId next = builder.add(Op::kAdd, {computed, constant({4, 4})});
  EXPECT_EQ(ops(fuse_residual(finish(builder, next))), "MatMul MatMul Add");
}

TEST_F(FuseActivationTest, WritesOutTheParameters) {
  const ValueId x = input(builder, {1, 3, 8, 8});
  const ValueId low = builder.constant(Tensor::scalar(-1.0F));
  const ValueId y = builder.add(Op::kClip, {conv(x, 3, 4), low});
  const ValueId z = builder.add(Op::kSelu, {conv(y, 4, 4)});
  const Graph g = fuse_activation(finish(builder, z));
  ASSERT_EQ(ops(g), "Conv Conv");
  EXPECT_EQ(g.nodes[0].attributes.text("activation", ""), "Clip");
  EXPECT_EQ(g.nodes[0].attributes.real("activation_alpha", 0), -1.0F);
  EXPECT_EQ(g.nodes[0].attributes.real("activation_beta", 0), std::numeric_limits<float>::max());
  EXPECT_EQ(g.nodes[1].attributes.text("activation", ""), "Selu");
  EXPECT_NEAR(g.nodes[1].attributes.real("activation_alpha", 0), 1.6732632F, 1e-7);
  EXPECT_NEAR(g.nodes[1].attributes.real("activation_beta", 0), 1.0507010F, 1e-7);
}

TEST_F(FuseActivationTest, TakesTheFirstOfTwoOnly) {
  const ValueId x = input(builder, {2, 3});
  const ValueId y = builder.add(Op::kTanh, {builder.add(Op::kRelu, {matmul(x, 3, 5)})});
  EXPECT_EQ(ops(fuse_activation(finish(builder, y))), "MatMul Tanh");
}

TEST_F(FuseActivationTest, LeavesBoundsThatAreNotConstant) {
  const ValueId x = input(builder, {2, 3});
  const ValueId bound = input(builder, {}, "bound");
  const ValueId y = builder.add(Op::kClip, {matmul(x, 3, 5), bound});
  EXPECT_EQ(ops(fuse_activation(finish(builder, y))), "MatMul Clip");
}

TEST_F(FuseActivationTest, LeavesAProductThatIsAnOutputToo) {
  const ValueId x = input(builder, {2, 3});
  const ValueId product = matmul(x, 3, 5);
  builder.output(product, "product");
  EXPECT_EQ(ops(fuse_activation(finish(builder, builder.add(Op::kRelu, {product})))),
            "MatMul Relu");
}

TEST_F(FuseActivationTest, FollowsBiasAndResidual) {
  const ValueId x = input(builder, {1, 4, 8, 8});
  const ValueId normalized = batch_norm(builder, random, conv(x, 4, 4), 4);
  const ValueId y = builder.add(Op::kRelu, {builder.add(Op::kAdd, {x, normalized})});
  const Graph g = fuse_activation(fuse_residual(fuse_bias(fold_batch_norm(finish(builder, y)))));
  EXPECT_EQ(ops(g), "Conv");
  EXPECT_EQ(g.nodes[0].inputs.size(), 4U);
}

}  // namespace
}  // namespace weft::passes::testing
