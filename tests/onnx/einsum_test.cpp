// Einsum must give the sums that its equation states, for all equations that ONNX allows. Operands
// are small integers, so every order of summation gives the same float.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "compiler/graph/builder/check.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::Op;
using graph::Shape;
using graph::Tensor;
using ::testing::HasSubstr;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;

std::string name_of(std::size_t i) {
  return "x" + std::to_string(i);
}

Model einsum(const std::string& equation, const std::vector<Shape>& shapes) {
  Model model;
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    inputs.push_back(name_of(i));
    model.input(inputs.back(), {shapes[i].begin(), shapes[i].end()});
  }
  model.output("y");
  auto& node = model.node("Einsum", inputs, {"y"});
  node.set_name("e");
  set(node, "equation", equation);
  return model;
}

/// The elements of an operand or result at an assignment of labels. A dimension of extent 1 has
/// its only element for every label.
std::size_t offset(const std::string& labels, const Shape& shape,
                   const std::map<char, std::int64_t>& at) {
  std::int64_t result = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    result = result * shape[i] + (shape[i] == 1 ? 0 : at.at(labels[i]));
  }
  return static_cast<std::size_t>(result);
}

/// Sums over all labels, one after another. `terms` has no ellipses: "ij,jk->ik".
Tensor naive(const std::string& terms, const std::vector<Tensor>& operands) {
  std::vector<std::string> labels;
  std::istringstream left(terms.substr(0, terms.find("->")));
  for (std::string term; std::getline(left, term, ',');) labels.push_back(term);
  labels.resize(operands.size());  // getline gives no last term if it is empty
  const std::string result = terms.substr(terms.find("->") + 2);

  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t d = 0; d < labels[i].size(); ++d) {
      std::int64_t& extent = extents[labels[i][d]];
      extent = std::max(extent, operands[i].shape()[d]);
    }
  }
  Shape shape;
  for (const char label : result) shape.push_back(extents.at(label));
  std::vector<float> sums(static_cast<std::size_t>(graph::element_count(shape)));

  std::map<char, std::int64_t> at;
  for (const auto& [label, extent] : extents) at[label] = 0;
  const auto advance = [&] {
    for (auto& [label, place] : at) {
      if (++place < extents.at(label)) return true;
      place = 0;
    }
    return false;
  };
  do {
    float product = 1;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      product *= operands[i].data<float>()[offset(labels[i], operands[i].shape(), at)];
    }
    sums[offset(result, shape, at)] += product;
  } while (advance());
  return Tensor::of(shape, sums);
}

/// Without zeros, because a product with 0 may be -0.
Tensor random_tensor(const Shape& shape, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (float& value : values) {
    const auto magnitude = static_cast<float>(1 + random() % 3);
    value = random() % 2 == 0 ? magnitude : -magnitude;
  }
  return Tensor::of(shape, values);
}

struct Case {
  std::string equation;
  std::string meaning;  // without spaces, ellipses and left-out results
  std::vector<Shape> shapes;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      // One operand: order, sums, diagonals
      {"ij->ji", "ij->ji", {{2, 3}}},
      {"ij", "ij->ij", {{2, 3}}},
      {"ba", "ba->ab", {{2, 3}}},
      {"ij->", "ij->", {{2, 3}}},
      {"ijk->j", "ijk->j", {{2, 3, 4}}},
      {"ii->i", "ii->i", {{3, 3}}},
      {"ii", "ii->", {{3, 3}}},
      {"iji->ij", "iji->ij", {{3, 2, 3}}},
      {"ijij->ji", "ijij->ji", {{2, 3, 2, 3}}},
      {"iii->i", "iii->i", {{3, 3, 3}}},
      {"...ii->...i", "abii->abi", {{2, 3, 4, 4}}},
      {"b...->...b", "bxy->xyb", {{2, 3, 4}}},
      {"->", "->", {{}}},
      // Two operands: products of matrices, of elements, of all pairs
      {"ij,jk->ik", "ij,jk->ik", {{2, 3}, {3, 4}}},
      {" i j , j k ", "ij,jk->ik", {{2, 3}, {3, 4}}},
      {"bij,bjk->bik", "bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}},
      {"bhqd,bhkd->bhqk", "bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}},
      {"bqhd,bkhd->bhqk", "bqhd,bkhd->bhqk", {{2, 3, 2, 4}, {2, 5, 2, 4}}},
      {"bhwc,hkc->bhwk", "bhwc,hkc->bhwk", {{2, 3, 2, 4}, {3, 5, 4}}},
      {"abcd,cdef->efab", "abcd,cdef->efab", {{2, 3, 2, 2}, {2, 2, 3, 2}}},
      {"i,i->", "i,i->", {{4}, {4}}},
      {"i,j->ij", "i,j->ij", {{2}, {3}}},
      {"i,j->ji", "i,j->ji", {{2}, {3}}},
      {"ij,ij->ij", "ij,ij->ij", {{2, 3}, {2, 3}}},
      {"ij,ji->", "ij,ji->", {{2, 3}, {3, 2}}},
      {"ij,j->i", "ij,j->i", {{2, 3}, {3}}},
      {"ij,->ij", "ij,->ij", {{2, 3}, {}}},
      {"Ab,bA->A", "Ab,bA->A", {{2, 3}, {3, 2}}},
      {"iij,jk->ik", "iij,jk->ik", {{2, 2, 3}, {3, 4}}},
      {"ijk,jl->il", "ijk,jl->il", {{2, 3, 4}, {3, 2}}},
      // Broadcasting
      {"...ij,...jk->...ik", "abij,bjk->abik", {{2, 3, 2, 4}, {3, 4, 2}}},
      {"...ij,...jk", "abij,abjk->abik", {{2, 1, 2, 4}, {1, 3, 4, 2}}},
      {"ij,jk->ik", "ij,jk->ik", {{2, 1}, {3, 4}}},
      {"...,...->...", "ab,ab->ab", {{2, 3}, {1, 3}}},
      {"i...,i...->...", "iab,ib->ab", {{2, 3, 4}, {2, 4}}},
      // Three and more operands
      {"ab,bc,cd->ad", "ab,bc,cd->ad", {{2, 3}, {3, 4}, {4, 2}}},
      {"ab,cd,bc->ad", "ab,cd,bc->ad", {{2, 3}, {4, 2}, {3, 4}}},
      {"i,ij,j->", "i,ij,j->", {{2}, {2, 3}, {3}}},
      {"i,i,i->i", "i,i,i->i", {{3}, {3}, {3}}},
      {"ik,jk,lk->ijl", "ik,jk,lk->ijl", {{2, 3}, {2, 3}, {2, 3}}},
      {"a,b,c,d->dcba", "a,b,c,d->dcba", {{2}, {3}, {2}, {3}}},
  };
  return kCases;
}

TEST(EinsumTest, SumsWhatTheEquationStates) {
  std::mt19937 random(18);
  for (const auto& [equation, meaning, shapes] : cases()) {
    SCOPED_TRACE(equation);
    std::vector<Tensor> operands;
    reference::NamedTensors inputs;
    for (const Shape& shape : shapes) {
      operands.push_back(random_tensor(shape, random));
      inputs[name_of(operands.size() - 1)] = operands.back();
    }
    const graph::Graph graph = einsum(equation, shapes).import({.evaluate = reference::evaluate});
    graph::check(graph);
    EXPECT_EQ(reference::run_graph(graph, inputs).at("y"), naive(meaning, operands));
  }
}

TEST(EinsumTest, SumsOfNothingAreZero) {
  const graph::Graph graph = einsum("ij,jk->ik", {{2, 0}, {0, 3}}).import();
  const Tensor y = reference::run_graph(graph, {{"x0", Tensor(graph::DataType::kFloat32, {2, 0})},
                                                {"x1", Tensor(graph::DataType::kFloat32, {0, 3})}})
                       .at("y");
  EXPECT_EQ(y, Tensor(graph::DataType::kFloat32, {2, 3}));
}

std::vector<Op> operators(const graph::Graph& graph) {
  std::vector<Op> ops;
  for (const graph::Node& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

TEST(EinsumTest, ProductsOfAttentionAreMatMulsWithoutReshaping) {
  EXPECT_EQ(operators(einsum("bhqk,bhkd->bhqd", {{2, 2, 3, 4}, {2, 2, 4, 5}}).import()),
            std::vector<Op>({Op::kMatMul}));
  EXPECT_EQ(operators(einsum("bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}).import()),
            (std::vector<Op>{Op::kTranspose, Op::kMatMul}));
}

TEST(EinsumTest, ItsNodesAreNamedAfterIt) {
  const graph::Graph graph = einsum("bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}).import();
  EXPECT_EQ(graph.nodes[0].name, "e/Transpose");
  EXPECT_EQ(graph.nodes[1].name, "e/MatMul");
  EXPECT_EQ(graph.values[graph.nodes[1].outputs[0]].name, "y");
}

TEST(EinsumTest, RefusesEquationsThatSayNothing) {
  const auto error = [](const std::string& equation, const std::vector<Shape>& shapes) {
    const std::string text = error_of([&] { einsum(equation, shapes).import(); });
    EXPECT_THAT(text, HasSubstr("test.onnx: node 'e' (Einsum): attribute equation: "));
    return text;
  };
  const std::vector<Shape> pair = {{2, 3}, {3, 4}};
  EXPECT_THAT(error("ij->ij", pair), HasSubstr("'ij->ij' has 1 terms for 2 inputs"));
  EXPECT_THAT(error("ij,jk,->", pair), HasSubstr("has 3 terms for 2 inputs"));
  EXPECT_THAT(error("ij,j1->i", pair), HasSubstr("has '1' where a letter"));
  EXPECT_THAT(error("ij,jk->i->k", pair), HasSubstr("has '-' where a letter"));
  EXPECT_THAT(error("ij,jk->i\nk", pair), HasSubstr("where a letter"));
  EXPECT_THAT(error("i..,jk", pair), HasSubstr("has '.' where a letter"));
  EXPECT_THAT(error("...i...,jk", pair), HasSubstr("two ellipses"));
  EXPECT_THAT(error("ijk,jk", pair), HasSubstr("names 3 dimensions of input 0, which is 2x3"));
  EXPECT_THAT(error("...ijk,jk", pair), HasSubstr("names 3 dimensions of input 0"));
  EXPECT_THAT(error("ij,ik->jk", pair), HasSubstr("has i for dimensions of extents 2 and 3"));
  EXPECT_THAT(error("ii,ik", pair), HasSubstr("has i for dimensions of extents 2 and 3"));
  EXPECT_THAT(error("ii,jk", {{1, 3}, {2, 2}}), HasSubstr("extents 1 and 3"));
  EXPECT_THAT(error("ij,jk->il", pair), HasSubstr("has l in its result, but in no operand"));
  EXPECT_THAT(error("ij,jk->ii", pair), HasSubstr("has i twice in its result"));
  EXPECT_THAT(error("...j,jk->k", pair), HasSubstr("has an ellipsis that its result lacks"));
  EXPECT_THAT(error("", pair), HasSubstr("has 1 terms for 2 inputs"));
}

TEST(EinsumTest, RefusesResultsTooLargeToCount) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THAT(error_of([&] {
                einsum("i,j->ij", {{huge}, {huge}}).import();
              }),
              HasSubstr("test.onnx: node 'e' (Einsum): "));
  EXPECT_THAT(error_of([&] {
                einsum("ik,jk->ij", {{huge, 2}, {huge, 2}}).import();
              }),
              HasSubstr("test.onnx: node 'e' (Einsum): "));
}

TEST(EinsumTest, NeedsAnEquation) {
  Model model = einsum("ij->ji", {{2, 3}});
  model.graph().mutable_node(0)->clear_attribute();
  EXPECT_EQ(error_of([&] { model.import(); }),
            "test.onnx: node 'e' (Einsum): attribute equation is missing");
}

}  // namespace
}  // namespace weft::onnx_io
