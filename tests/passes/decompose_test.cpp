// Compares decompose_gemm and decompose_conv_transpose with Gemm and ConvTranspose of the CPU
// reference, over random shapes and attributes, in binary64.
//
// Another order of additions changes sums below 2^10 by less than 2^-40. decompose_gemm rounds
// alpha*B and beta*C to float32, each element by at most 2^-24 of it. So the result is off by at
// most 2^-24 * (|alpha| K + |beta|) for elements up to 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "compiler/graph/shapes/windows.h"
#include "compiler/passes/optimize.h"
#include "compiler/passes/simplify/decompose_conv_transpose.h"
#include "compiler/passes/simplify/decompose_gemm.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/passes/values.h"

namespace weft::passes::testing {
namespace {

using Ints = std::vector<std::int64_t>;
using Hits = std::map<std::string, int>;

constexpr double kReordered = 0x1p-40;
constexpr unsigned kCases = 500;

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low + 1));
}

bool chance(Random& random, int percent) {
  return between(random, 1, 100) <= percent;
}

void expect_within(const Graph& before, const Graph& after, Random& random, double bound) {
  const NamedTensors inputs = random_inputs(before, random);
  const Tensor expected = reference::run_graph(before, inputs, {.double_precision = true}).at("y");
  const Tensor found = reference::run_graph(after, inputs, {.double_precision = true}).at("y");
  ASSERT_EQ(expected.shape(), found.shape());
  for (std::size_t i = 0; i < expected.data<double>().size(); ++i) {
    ASSERT_NEAR(found.data<double>()[i], expected.data<double>()[i], bound)
        << "element " << i << "\n"
        << ops(before) << "\n=> " << ops(after);
  }
}

template <class Check>
void for_each_seed(Hits& hits, Check&& check) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  for (unsigned seed = 0; seed < kCases && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    check(random, hits);
  }
}

void expect_hits(const Hits& hits, std::initializer_list<const char*> names) {
  for (const auto& [name, count] : hits) std::cout << name << ": " << count << '\n';
  for (const char* name : names) EXPECT_TRUE(hits.contains(name) && hits.at(name) >= 10) << name;
}

// --- Gemm ---

struct GemmCase {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  Attributes attributes = {};
  double bound = kReordered;
};

/// An operand as a constant or as an input.
ValueId operand(Builder& builder, Random& random, Shape shape, bool constant, const char* name) {
  if (!constant) return input(builder, std::move(shape), name);
  return builder.constant(random_floats(random, std::move(shape)));
}

bool transposes(Random& random, GemmCase& gemm, const char* name, Shape& shape, Hits& hits) {
  if (!chance(random, 50)) return false;
  gemm.attributes.set(name, std::int64_t{1});
  std::swap(shape[0], shape[1]);
  ++hits[name];
  return true;
}

ValueId add_c(Builder& builder, Random& random, const GemmCase& gemm, Hits& hits) {
  const std::vector<std::pair<const char*, Shape>> kinds = {{"C matrix", {gemm.m, gemm.n}},
                                                            {"C rows", {gemm.m, 1}},
                                                            {"C columns", {gemm.n}},
                                                            {"C one row", {1, gemm.n}},
                                                            {"C scalar", {}}};
  const auto& [name, shape] = kinds[static_cast<std::size_t>(between(random, 0, 4))];
  const bool constant = chance(random, 60);
  ++hits[name];
  ++hits[constant ? "C constant" : "C computed"];
  return operand(builder, random, shape, constant, "c");
}

void check_gemm(Random& random, Hits& hits) {
  GemmCase gemm{between(random, 1, 6), between(random, 1, 6), between(random, 1, 6)};
  Builder builder("net");
  Shape a{gemm.m, gemm.k};
  Shape b{gemm.k, gemm.n};
  transposes(random, gemm, "transA", a, hits);
  transposes(random, gemm, "transB", b, hits);
  const double alpha = chance(random, 60) ? -1.5 + 0.3 * static_cast<double>(random() % 10) : 1;
  const double beta = chance(random, 60) ? -1.5 + 0.3 * static_cast<double>(random() % 10) : 1;
  gemm.attributes.set("alpha", static_cast<float>(alpha));
  gemm.attributes.set("beta", static_cast<float>(beta));
  if (alpha != 1) ++hits["alpha"];
  const bool constant_b = chance(random, 80);
  const ValueId a_value = operand(builder, random, a, constant_b ? false : chance(random, 50), "a");
  std::vector<ValueId> inputs = {a_value, operand(builder, random, b, constant_b, "b")};
  const bool has_c = chance(random, 75);
  if (has_c) inputs.push_back(add_c(builder, random, gemm, hits));
  if (has_c && beta != 1) ++hits["beta"];
  const Graph before = finish(builder, builder.add(Op::kGemm, inputs, gemm.attributes));
  const Graph after = decompose_gemm(before);
  const double magnitude = std::abs(alpha) * static_cast<double>(gemm.k) + std::abs(beta);
  const double bound = kReordered + 0x1p-24 * magnitude;
  expect_within(before, after, random, bound);
  expect_within(before, optimize(before, reference::evaluate), random, bound);
  if (alpha != 1 && !constant_b) {
    ++hits["left as it is"];
    EXPECT_EQ(ops(after), "Gemm");
    return;
  }
  const Node& product = find(after, Op::kGemm);
  for (const char* name : {"transA"}) EXPECT_EQ(product.attributes.integer(name, 0), 0);
  for (const char* name : {"alpha", "beta"}) {
    if (std::string(name) == "alpha" || product.input(2) != kNone) {
      EXPECT_EQ(product.attributes.real(name, 1), 1) << name;
    }
  }
}

TEST(DecomposeGemmTest, KeepsTheValuesOfRandomGemms) {
  Hits hits;
  for_each_seed(hits, check_gemm);
  expect_hits(hits, {"transA", "transB", "alpha", "beta", "C matrix", "C rows", "C columns",
                     "C one row", "C scalar", "C constant", "C computed", "left as it is"});
}

TEST(DecomposeGemmTest, AConstantMatrixBecomesAResidual) {
  Random random(1);
  Builder builder("net");
  const ValueId b = builder.constant(random_floats(random, {3, 4}));
  const ValueId c = builder.constant(random_floats(random, {2, 4}));
  const Graph g = optimize(finish(builder, builder.add(Op::kGemm, {input(builder, {2, 3}), b, c})),
                           reference::evaluate);
  ASSERT_EQ(ops(g), "Gemm");
  EXPECT_EQ(g.nodes[0].input(2), kNone);
  EXPECT_NE(g.nodes[0].input(3), kNone);
}

TEST(DecomposeGemmTest, MakesNoWeightsThatAreMadeOnDemand) {
  int made = 0;
  Random random(1);
  Builder builder("net");
  const ValueId b = builder.constant(lazy(random_floats(random, {3, 4}), &made));
  const ValueId y = builder.add(Op::kGemm, {input(builder, {2, 3}), b}, {{"alpha", 0.5F}});
  const Graph before = finish(builder, y);
  const Graph after = decompose_gemm(before);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(run(before, {{"x", Tensor(DataType::kFloat32, {2, 3})}}),
            run(after, {{"x", Tensor(DataType::kFloat32, {2, 3})}}));
}

// --- ConvTranspose ---

struct TransposedCase {
  Shape x;
  Shape w;
  Attributes attributes = {};
};

void choose_size(Random& random, TransposedCase& c, std::size_t dims, Hits& hits) {
  Ints strides, dilations, pads(2 * dims), extra;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t stride = between(random, 1, 3);
    const std::int64_t dilation = chance(random, 60) ? 1 : between(random, 2, 3);
    const std::int64_t kernel = between(random, 1, 4);
    const std::int64_t input = between(random, 1, 5);
    const std::int64_t output_padding = chance(random, 30) ? between(random, 0, stride - 1) : 0;
    const std::int64_t natural = (input - 1) * stride + (kernel - 1) * dilation + 1;
    // The padding leaves at least one output.
    pads[i] = std::min(between(random, 0, 4), natural - 1);
    pads[i + dims] = std::min(between(random, 0, 3), natural - 1 - pads[i]);
    if (pads[i] > (kernel - 1) * dilation) ++hits["pads beyond the kernel"];
    if (stride > kernel) ++hits["phases without taps"];
    if (stride > 1) ++hits["stride"];
    if (dilation > 1) ++hits["dilation"];
    if (dilation > 1 && stride > 1) ++hits["stride and dilation"];
    if (output_padding > 0) ++hits["output_padding"];
    c.x.push_back(input);
    c.w.push_back(kernel);
    strides.push_back(stride);
    dilations.push_back(dilation);
    extra.push_back(output_padding);
  }
  c.attributes.set("strides", strides);
  c.attributes.set("dilations", dilations);
  c.attributes.set("output_padding", extra);
  if (chance(random, 20)) {
    c.attributes.set("auto_pad", std::string(chance(random, 50) ? "SAME_UPPER" : "SAME_LOWER"));
    ++hits["auto_pad"];
  } else if (chance(random, 20)) {
    Ints shape;
    for (std::size_t i = 0; i < dims; ++i) shape.push_back(between(random, 1, 14));
    c.attributes.set("output_shape", shape);
    ++hits["output_shape"];
  } else {
    c.attributes.set("pads", pads);
    ++hits["pads"];
  }
}

/// Slopes are at most 1, so errors do not grow.
ValueId add_activation(Builder& builder, Random& random, ValueId x) {
  if (chance(random, 50)) return builder.add(Op::kTanh, {x});
  const ValueId low = builder.constant(Tensor::scalar(-0.5F));
  return builder.add(Op::kClip, {x, low});
}

void check_transposed(Random& random, Hits& hits) {
  TransposedCase c;
  const std::size_t dims = static_cast<std::size_t>(between(random, 1, 3));
  const std::int64_t groups = chance(random, 60) ? 1 : between(random, 2, 3);
  const std::int64_t inputs_a_group = between(random, 1, 3);
  const std::int64_t outputs_a_group = between(random, 1, 3);
  c.x = {between(random, 1, 2), groups * inputs_a_group};
  c.w = {groups * inputs_a_group, outputs_a_group};
  c.attributes.set("group", groups);
  choose_size(random, c, dims, hits);
  Builder builder("net");
  std::vector<ValueId> inputs = {input(builder, c.x), builder.constant(random_floats(random, c.w))};
  const bool bias = chance(random, 60);
  if (bias) inputs.push_back(builder.constant(random_floats(random, {groups * outputs_a_group})));
  ValueId y = builder.add(Op::kConvTranspose, inputs, c.attributes);
  const bool activation = chance(random, 40);
  if (activation) y = add_activation(builder, random, y);
  const Graph before = finish(builder, y);
  const Graph after = decompose_conv_transpose(before);
  EXPECT_EQ(count(after, Op::kConvTranspose), 0U);
  expect_within(before, after, random, kReordered);
  // A phase without taps folds its activation in binary32: one rounding of values up to 1.
  expect_within(before, optimize(before, reference::evaluate), random,
                kReordered + (activation ? 0x1p-24 : 0));
  ++hits[groups > 1 ? "groups" : "one group"];
  ++hits[bias ? "bias" : "no bias"];
  ++hits[std::to_string(dims) + " dimensions"];
  const std::size_t convolutions = count(after, Op::kConv);
  if (activation && convolutions > 1) {
    ++hits["activation of the phases"];
    EXPECT_GE(count(after, Op::kClip) + count(after, Op::kTanh), convolutions) << ops(after);
  }
  ++hits[convolutions == 0 ? "bias alone" : convolutions == 1 ? "one phase" : "several phases"];
}

TEST(DecomposeConvTransposeTest, KeepsTheValuesOfRandomConvTransposes) {
  Hits hits;
  for_each_seed(hits, check_transposed);
  expect_hits(hits, {"1 dimensions",
                     "2 dimensions",
                     "3 dimensions",
                     "groups",
                     "one group",
                     "bias",
                     "no bias",
                     "stride",
                     "dilation",
                     "stride and dilation",
                     "output_padding",
                     "pads",
                     "auto_pad",
                     "output_shape",
                     "pads beyond the kernel",
                     "phases without taps",
                     "one phase",
                     "several phases",
                     "bias alone",
                     "activation of the phases"});
}

Graph stride_two(Random& random, std::int64_t kernel) {
  Builder builder("net");
  const ValueId w = builder.constant(random_floats(random, {3, 2, kernel, kernel}));
  return finish(builder, builder.add(Op::kConvTranspose, {input(builder, {1, 3, 5, 5}), w},
                                     {{"strides", Ints{2, 2}}}));
}

TEST(DecomposeConvTransposeTest, EveryTapIsInOnePhase) {
  Random random(1);
  const Graph after = decompose_conv_transpose(stride_two(random, 3));
  ASSERT_EQ(count(after, Op::kConv), 4U);
  std::int64_t taps = 0;
  for (const Node& node : after.nodes) {
    if (node.op != Op::kConv) continue;
    const Shape& w = after.type(node.inputs[1]).shape;
    taps += w[2] * w[3];
  }
  EXPECT_EQ(taps, 9);
}

TEST(DecomposeConvTransposeTest, LeavesComputedWeightsAndVeryManyPhases) {
  Builder builder("net");
  const ValueId x = input(builder, {1, 2, 4, 4});
  const ValueId w = input(builder, {2, 2, 3, 3}, "w");
  const Graph computed = finish(builder, builder.add(Op::kConvTranspose, {x, w}));
  EXPECT_EQ(ops(decompose_conv_transpose(computed)), "ConvTranspose");
  Random random(1);
  Builder wide("net");
  const ValueId constant = wide.constant(random_floats(random, {2, 2, 3, 3}));
  const Graph many =
      finish(wide, wide.add(Op::kConvTranspose, {input(wide, {1, 2, 4, 4}), constant},
                            {{"strides", Ints{9, 9}}}));
  EXPECT_EQ(ops(decompose_conv_transpose(many)), "ConvTranspose");
}

}  // namespace
}  // namespace weft::passes::testing
