#include "models/imports/problem.h"

#include <gtest/gtest.h>

#include "tests/cli/temporary_folder.h"
#include "tests/imports/refused.h"

namespace weft::imports {
namespace {

class ProblemTest : public testing::Test {
 protected:
  Problem read(std::string_view text) { return read_problem(folder_.write("p.yaml", text)); }
  ConvProblem conv(std::string_view text) { return std::get<ConvProblem>(read(text)); }
  std::string refused(std::string_view text) {
    const std::string message = refusal([&] { read(text); });
    const std::string file = folder_.file("p.yaml");
    EXPECT_TRUE(message.starts_with(file)) << message;
    return message.substr(std::min(file.size(), message.size()));
  }

  test::TemporaryFolder folder_;
};

TEST_F(ProblemTest, AProductHasTheDimensionsMKN) {
  const ProductProblem expected = {2, 3, 4};
  EXPECT_EQ(read("problem:\n  instance: {M: 2, K: 3, N: 4}\n"), Problem(expected));
  EXPECT_EQ(read("problem: {shape: {name: gemm, dimensions: [M, N, K], data-spaces: [{name: Z, "
                 "projection: [[[M]], [[N]]], read-write: True}]}, instance: {M: 2, K: 3, N: 4}}"),
            Problem(expected));
  EXPECT_EQ(read("shape: gemm\ninstance: {M: 2, K: 3, N: 4}\n"), Problem(expected));
}

TEST_F(ProblemTest, AConvolutionsInputIsAsLargeAsItsWindowsNeed) {
  const ConvProblem problem = conv(
      "problem:\n  shape: {coefficients: [{name: Hstride, default: 3}]}\n"
      "  instance: {N: 2, C: 5, M: 7, R: 3, S: 4, P: 10, Q: 6, Wstride: 2, Wdilation: 2}\n");
  ConvProblem expected;
  expected.images = 2;
  expected.channels = 5;
  expected.filters = 7;
  expected.filter_width = 3;
  expected.filter_height = 4;
  expected.stride_width = 2;
  expected.stride_height = 3;
  expected.dilation_width = 2;
  expected.input_width = 9 * 2 + 2 * 2 + 1;
  expected.input_height = 5 * 3 + 3 + 1;
  EXPECT_EQ(problem, expected);
}

TEST_F(ProblemTest, GroupsCountChannelsAndFiltersOfEach) {
  const ConvProblem grouped = conv("instance: {G: 4, C: 2, M: 3, R: 1, S: 1, P: 1, Q: 1}\n");
  EXPECT_EQ(grouped.groups, 4U);
  EXPECT_EQ(grouped.channels, 8U);
  EXPECT_EQ(grouped.filters, 12U);
  const ConvProblem depthwise = conv("instance: {C: 6, R: 3, S: 3, P: 4, Q: 4}\n");
  EXPECT_EQ(depthwise.groups, 6U);
  EXPECT_EQ(depthwise.filters, 6U);
}

TEST_F(ProblemTest, VersionTwoHasNoInstanceAndCallsFiltersK) {
  const ConvProblem problem =
      conv("problem: {shape: cnn-layer, R: 3, S: 3, P: 2, Q: 2, C: 1, K: 9, N: 1}\n");
  EXPECT_EQ(problem.filters, 9U);
  EXPECT_EQ(problem.input_width, 4U);
}

TEST_F(ProblemTest, MergesWhatATemplateIncludes) {
  folder_.write("base.yaml",
                "base_ignore: &base\n  instance: {C: 1, M: 1, P: 1, Q: 1, R: 1, S: 1, N: 5}\n"
                "  shape: {dimensions: [C, M, P, Q, R, S, N]}\n");
  const ConvProblem problem =
      conv("{{include_text('base.yaml')}}\nproblem:\n  <<<: *base\n  instance: {C: 8, P: 3}\n");
  EXPECT_EQ(problem.images, 5U);
  EXPECT_EQ(problem.channels, 8U);
  EXPECT_EQ(problem.input_width, 3U);
  // Lines behind an include keep the numbers that they have in their own file.
  EXPECT_EQ(refused("{{include_text('base.yaml')}}\nproblem:\n  instance: {C: x, P: 3}\n"),
            ":3: C = 'x': must be a whole number from 1 to 2147483648");
}

TEST_F(ProblemTest, RefusesWithFileAndLine) {
  EXPECT_EQ(refused("problem:\n  instance:\n    M: 2\n    K: 2.5\n    N: 4\n"),
            ":4: K = '2.5': must be a whole number from 1 to 1099511627776");
  EXPECT_EQ(refused("problem:\n  instance: {M: 2, K: 0, N: 4}\n"),
            ":2: K = '0': must be a whole number from 1 to 1099511627776");
  EXPECT_NE(refused("problem:\n  instance: {M: 2,\n    X: 3, N: 4}\n")
                .find(":3: 'X' is no dimension that is known"),
            std::string::npos);
  EXPECT_EQ(refused("problem:\n  instance: {M: 2, N: 4}\n"),
            ": the size of dimension K is missing; add it to instance");
  EXPECT_EQ(refused("problem:\n  shape: {dimensions: [C, M,\n    P]}\n  instance: {C: 2, M: 4}\n"),
            ":3: the size of dimension P is missing; add it to instance");
  EXPECT_EQ(refused("problem:\n  instance: {M: 2, M: 3}\n"), ":2: 'M' is given twice; keep one");
  EXPECT_EQ(refused("problem:\n  instance: {M: 2}\n  instance: {K: 3}\n"),
            ":3: 'instance' is given twice; keep one");
  EXPECT_EQ(refused("problem:\n  instance: {M: 2, densities: {A: 0.5}}\n"),
            ":2: sparse problems are not modelled; remove densities for a dense one");
  EXPECT_EQ(refused("problem:\n  M: 2\n  densities: {A: 0.5}\n"),
            ":3: sparse problems are not modelled; remove densities for a dense one");
  EXPECT_EQ(refused("problem:\n  M: 2\n  N: [3]\n"), ":3: 'N' must be a number");
  EXPECT_EQ(refused("problem:\n  instance: {M: 2, K: 3, C: 1}\n"),
            ": a convolution has either M or K, which both count its filters; drop one");
  EXPECT_EQ(
      refused("problem:\n  shape:\n    data_spaces: [{read_write: true, projection: [[[K]]]}]\n"
              "  instance: {M: 2, K: 3, N: 1}\n"),
      ":3: the result of a product cannot have dimension 'K'");
  EXPECT_EQ(refused("a: [1\nb: 2\n"), ":2: is not YAML: end of sequence flow not found");
  EXPECT_EQ(refused("- 1\n"), ": has no map problem:, so it is no Timeloop problem");
  EXPECT_EQ(refused("problem: {shape: gemm}\n"),
            ": gives no dimension; add instance: with the size of each");
  EXPECT_EQ(refused("instance: {C: 2147483648, P: 2147483648, Q: 1, R: 2147483648, S: 1}\n"),
            ": the columns of its input exceed 2^31; use smaller dimensions");
}

TEST_F(ProblemTest, TheProjectionsMustBeThoseOfAConvolution) {
  // Line 4 is the index of the input along the width.
  const auto text = [](const std::string& width, const std::string& instance) {
    return "problem:\n  shape:\n    data_spaces: [{name: I, projection: [[[C]],\n      " + width +
           ", [[S, Hdilation], [Q, Hstride]]]},\n      {name: W, projection: [[[C]], [[M]], [[R]], "
           "[[S]]]},\n      {name: O, projection: [[[M]], [[P]], [[Q]]], read_write: true}]\n"
           "  instance: {C: 2, M: 2, R: 3, S: 3, P: 4, Q: 4, " +
           instance + "}\n";
  };
  const std::string good = "[[R, Wdilation], [P, Wstride]]";
  EXPECT_EQ(conv(text(good, "Wstride: 2, Wdilation: 3")).input_width, 3U * 2 + 2 * 3 + 1);
  EXPECT_EQ(conv(text("[[R], [P]]", "Hstride: 2")).input_width, 6U);
  EXPECT_EQ(conv(text("[[R, Wstride], [P, Wdilation]]", "Wstride: 1")).input_width, 6U);
  EXPECT_EQ(refused(text("[[R], [P]]", "Wstride: 2")),
            ":4: the projection multiplies 'P' by 1, but Wstride is 2; write [P, Wstride]");
  EXPECT_EQ(refused(text("[[R, Wstride], [P, Wdilation]]", "Wstride: 2")),
            ":4: the projection multiplies 'R' by 2, 'Wstride', but Wdilation is 1; write [R, "
            "Wdilation]");
  EXPECT_EQ(refused(text("[[R, Wdilation], [P, Hstride]]", "Hstride: 2")),
            ":4: the projection multiplies 'P' by 2, 'Hstride', but Wstride is 1; write [P, "
            "Wstride]");
  EXPECT_EQ(refused(text("[[R, Wdilation], [Q, Hstride]]", "Wstride: 1")),
            ":4: the projection adds R and Q; R goes with P, S with Q");
  EXPECT_EQ(refused(text("[[R, Wdilation], [P, skip]]", "Wstride: 1")),
            ":4: coefficient 'skip' has no value; give it a default in shape.coefficients");
  EXPECT_EQ(refused(text("[[R, Wdilation, Wstride]]", "Wstride: 1")),
            ":4: a term of a projection must be a list of a dimension and at most one coefficient");
  EXPECT_EQ(refused("problem:\n  shape: {data_spaces: [{projection: [[[M]], [[K,\n    Wstride]]]}, "
                    "{read_write: true, projection: [[[M]]]}]}\n"
                    "  instance: {M: 2, K: 3, N: 1, Wstride: 2}\n"),
            ":2: the projection multiplies 'K' by 2; drop the coefficient");
}

TEST_F(ProblemTest, TheProjectionsMustBeThoseOfAProduct) {
  // Line 4 is the projection of the weights, line 6 that of the inputs.
  const auto text = [](const std::string& weights, const std::string& inputs,
                       const std::string& result = "[[[M]], [[N]]], read_write: true",
                       const std::string& sizes = "M: 2, K: 3, N: 4") {
    return "problem:\n  shape:\n    data_spaces: [{name: Weights, projection:\n      " + weights +
           "},\n      {name: Inputs, projection:\n      " + inputs +
           "}, {name: Outputs, projection: " + result + "}]\n  instance: {" + sizes + "}\n";
  };
  const std::string kn = "[[[N]], [[K]]]";
  const std::string mk = "[[[M]], [[K]]]";
  const Problem expected = ProductProblem{2, 3, 4};
  EXPECT_EQ(read(text(kn, mk)), expected);
  EXPECT_EQ(read(text(mk, "[[[K]], [[N]]]")), expected);  // names do not count
  EXPECT_EQ(read(text("[[[K]], [[N]]]", "[[[K]], [[M]]]", "[[[N]], [[M]]], read-write: True")),
            expected);
  EXPECT_EQ(read(text("[N, K]", mk)), expected);              // Timeloop's short form
  EXPECT_EQ(read(text(kn, mk, "[[[M]], [[N]]]")), expected);  // nothing says which is written
  EXPECT_EQ(read(text(kn, mk, "[[[M]], [[N]]], read_write: false")), expected);
  EXPECT_EQ(refused(text(kn + ", read_write: true", mk, "[[[M]], [[N]]]")),
            ":4: the result of a product cannot have dimension 'K'");
  EXPECT_EQ(read(text("[[[K]]]", mk, "[[[M]]], read_write: true", "M: 2, K: 3, N: 1")),
            Problem(ProductProblem{2, 3, 1}));
  EXPECT_EQ(refused(text("[[[N]], [[M]]]", mk)),
            ":4: the operand [K,N] of a product cannot have dimension 'M'");
  EXPECT_EQ(refused(text("[[[N]], [[Q]]]", mk)),
            ":4: the operand [K,N] of a product cannot have dimension 'Q'");
  EXPECT_EQ(refused(text("[[[N]]]", mk)),
            ":3: the operand [K,N] of a product must have dimension 'K'; add it to the projection");
  EXPECT_EQ(refused(text("[[[N], [K]]]", mk)),
            ":4: the projection adds N and K; write [[N]], [[K]]");
  EXPECT_EQ(refused(text("[[[N]], [[K]], [[N]]]", mk)),
            ":4: the projection has dimension 'N' twice; drop one");
  EXPECT_EQ(refused(text(kn, "[[[M]], [[K], [N]]]")),
            ":6: the operand [M,K] of a product cannot have dimension 'N'");
  EXPECT_EQ(refused(text(kn, mk, "[[[M]]], read_write: true")),
            ":6: the result of a product must have dimension 'N'; add it to the projection");
  EXPECT_EQ(refused(text("[[N], [K]]", mk)),
            ":4: a term of a projection must be a list of a dimension and at most one coefficient");
  EXPECT_EQ(refused(text("[{N: K}]", mk)), ":4: an index of a projection must be a list of terms");
  EXPECT_EQ(refused(text(kn + ", read_write: true", mk)),
            ":6: is the second data space with read_write; a problem has one result");
  EXPECT_EQ(refused(text(kn, mk + "}, {projection: " + mk)),
            ":6: is one data space too many; a problem has two that are read, and its result");
}

TEST_F(ProblemTest, EachOperandOfAConvolutionHasItsDimensions) {
  // Lines 3, 4 and 5 are those of the weights, the input and the result.
  const auto text = [](const std::string& weights, const std::string& input,
                       const std::string& result, const std::string& sizes) {
    return "problem:\n  shape: {data_spaces: [\n    {projection: " + weights +
           "},\n    {projection: " + input + "},\n    {projection: " + result +
           ", read_write: true}]}\n  instance: {" + sizes + "}\n";
  };
  const std::string sizes = "N: 2, C: 2, M: 3, R: 3, S: 3, P: 4, Q: 4";
  const std::string weights = "[[[M]], [[C]], [[R]], [[S]]]";
  const std::string input = "[[[N]], [[C]], [[R], [P]], [[S], [Q]]]";
  const std::string result = "[[[N]], [[M]], [[Q]], [[P]]]";
  EXPECT_EQ(conv(text(weights, input, result, sizes)).filters, 3U);
  EXPECT_EQ(conv(text(input, weights, result, sizes)).filters, 3U);
  EXPECT_EQ(
      conv(text("[S, R, C, M]", "[[[Q], [S]], [[P], [R]], [[C]], [[N]]]", "[P, Q, M, N]", sizes))
          .filters,
      3U);
  EXPECT_EQ(conv(text("[G, C, M, R, S]", "[[[N]], [[G]], [[C]], [[R], [P]], [[S], [Q]]]",
                      "[N, G, M, P, Q]", sizes + ", G: 5"))
                .filters,
            15U);
  const std::string lanes = "N: 2, C: 6, R: 3, S: 3, P: 4, Q: 4";
  EXPECT_EQ(conv(text("[C, R, S]", input, "[N, C, P, Q]", lanes)).groups, 6U);
  // What has size 1 may be left out.
  const std::string pointwise = "N: 1, C: 2, M: 3, R: 1, S: 1, P: 4, Q: 4, Wstride: 2";
  EXPECT_EQ(conv(text("[M, C]", "[[[C]], [[P, Wstride]], [[Q]]]", "[M, P, Q]", pointwise)).filters,
            3U);
  const auto lacks = [](const std::string& line, const std::string& what,
                        const std::string& dimension) {
    return ":" + line + ": the " + what + " must have dimension '" + dimension +
           "'; add it to the projection";
  };
  EXPECT_EQ(refused(text("[M, R, S]", input, result, sizes)),
            lacks("3", "weights of a convolution", "C"));
  EXPECT_EQ(refused(text("[N, M, R, S]", input, result, sizes)),
            ":3: the weights of a convolution cannot have dimension 'N'");
  EXPECT_EQ(refused(text("[[[M], [C]], [[R]], [[S]]]", input, result, sizes)),
            ":3: the projection adds M and C; write [[M]], [[C]]");
  EXPECT_EQ(refused(text(weights, "[[[N]], [[C], [R], [P]], [[S], [Q]]]", result, sizes)),
            ":4: the projection adds C and R; write [[C]], [[R]]");
  EXPECT_EQ(refused(text(weights, "[[[N]], [[R], [P]], [[S], [Q]]]", result, sizes)),
            lacks("4", "input of a convolution", "C"));
  EXPECT_EQ(refused(text(weights, "[N, C, R, S, P, Q]", result, sizes)),
            ":4: the projection has R and P apart; write [[R, Wdilation], [P, Wstride]]");
  EXPECT_EQ(refused(text(weights, input, "[N, P, Q]", sizes)),
            lacks("5", "result of a convolution", "M"));
  EXPECT_EQ(refused(text("[C, M, R, S]", input, "[N, C, P, Q]", lanes)),
            ":3: the weights of a depthwise convolution cannot have dimension 'M'");
  EXPECT_EQ(refused(text("[C, R]", input, "[N, C, P, Q]", lanes)),
            lacks("3", "weights of a depthwise convolution", "S"));
}

TEST_F(ProblemTest, TheProblemsOwnDataSpacesCountNotTheMergedOnes) {
  const std::string merged =
      "b: &b {shape: {data_spaces: [{read_write: true, projection: [[[X]]]}]}}\n";
  EXPECT_NE(refused(merged + "problem: {<<<: *b, instance: {M: 2, K: 3, N: 4}}\n").find("'X'"),
            std::string::npos);
  const ProductProblem expected = {2, 3, 4};
  EXPECT_EQ(read(merged + "problem: {<<<: *b, shape: {data_spaces: [{read_write: true, projection: "
                          "[[[M]], [[N]]]}]}, instance: {M: 2, K: 3, N: 4}}\n"),
            Problem(expected));
}

TEST_F(ProblemTest, RefusesTextsThatGrowWhenTheyAreRead) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_NE(refused(deep).find("is not YAML"), std::string::npos);
  // Ten lists of ten aliases each: 10^10 entries if they were copied.
  std::string bomb = "a0: &a0 [1, 1]\n";
  for (int i = 1; i <= 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += "*a" + std::to_string(i - 1) + ", ";
    bomb += "1]\n";
  }
  EXPECT_EQ(refused(bomb + "problem: {instance: *a10}\n"),
            ":11: instance must be a map of names and values");
  EXPECT_NE(refused("{{include_text('p.yaml')}}\n").find("more than 8 files deep"),
            std::string::npos);
  std::string wide = "b: &b [";
  for (int i = 0; i < 200; ++i) wide += "[[M]], ";
  EXPECT_EQ(
      refused(wide + "]\nproblem: {shape: {data_spaces: [{read_write: true, projection: *b}]}}\n"),
      ":1: the list has more than 100 entries");
  std::string terms = "t: &t [";
  for (int i = 0; i < 99; ++i) terms += "[M], ";
  terms += "[M]]\np: &p [";
  for (int i = 0; i < 99; ++i) terms += "*t, ";
  EXPECT_EQ(refused(terms + "*t]\nproblem: {shape: {data_spaces: [{projection: *p}]}}\n"),
            ":1: the projections have more than 1000 terms");
  EXPECT_NE(refused(std::string(std::size_t{2} << 20U, '#')).find("larger than 1 MiB"),
            std::string::npos);
  EXPECT_NE(refused("{{ load('x') }}\n").find("is a template"), std::string::npos);
}

}  // namespace
}  // namespace weft::imports
