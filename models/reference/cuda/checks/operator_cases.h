// Random single-node cases for every operator that the device runs, and how close each result must
// be to the CPU reference's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/execution/interpreter.h"
#include "models/reference/cuda/checks/random_values.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {

/// How close an operator's results must be. One that the CPU reference computes gives its bits.
Closeness closeness_of(graph::Op op);

struct OperatorCase {
  graph::Graph graph;
  execution::NamedTensors inputs;
  Closeness closeness = Closeness::kBits;
  std::int64_t depth = 0;  // products in a sum (kProduct)
};

/// Builds a graph of one node. The node's inputs are graph inputs unless they are constants or left
/// out.
class CaseBuilder {
 public:
  explicit CaseBuilder(graph::Op op);
  CaseBuilder& input(const graph::Tensor& tensor);
  CaseBuilder& constant(const graph::Tensor& tensor);
  CaseBuilder& none();
  CaseBuilder& set(const std::string& attribute, graph::Attribute value);
  CaseBuilder& depth(std::int64_t products);
  /// Builds the case with `outputs` outputs. Throws InputError if the node is not allowed.
  OperatorCase build(std::size_t outputs = 1) const;

 private:
  struct GivenInput {
    graph::Tensor tensor;
    enum class Kind : std::uint8_t { kInput, kConstant, kNone } kind;
  };
  graph::Op op_;
  Closeness closeness_;
  std::int64_t depth_ = 0;
  graph::Attributes attributes_;
  std::vector<GivenInput> entries_;
};

/// A shape of `rank` dimensions with extents from 1 to `most`.
graph::Shape random_shape(Generator& generator, std::int64_t rank, std::int64_t most = 5);
/// A shape that broadcasts to `shape`: some extents are 1, some leading ones are left out.
graph::Shape broadcasting(Generator& generator, const graph::Shape& shape);
/// Multiples of 2^-20 in [-1, 1].
graph::Tensor random_tensor(Generator& generator, const graph::Shape& shape);
/// Zeros of both signs, infinities, NaN, subnormals and ordinary numbers.
graph::Tensor special_tensor(Generator& generator, const graph::Shape& shape);
graph::Tensor positive_tensor(Generator& generator, const graph::Shape& shape);
/// Any bytes as elements of `type`; bools are 0 or 1.
graph::Tensor raw_tensor(Generator& generator, graph::DataType type, const graph::Shape& shape);

/// A type whose elements have 1, 2, 4 or 8 bytes.
graph::DataType random_type(Generator& generator);
/// Any bytes as elements of a random type.
graph::Tensor any_tensor(Generator& generator, const graph::Shape& shape);

/// Cases for each operator of a family.
std::vector<OperatorCase> elementwise_cases(Generator& generator);
std::vector<OperatorCase> reduction_cases(Generator& generator);
std::vector<OperatorCase> window_cases(Generator& generator);
std::vector<OperatorCase> contraction_cases(Generator& generator);
std::vector<OperatorCase> movement_cases(Generator& generator);
std::vector<OperatorCase> indexed_cases(Generator& generator);

}  // namespace weft::cuda
