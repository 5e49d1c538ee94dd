// The operations of an update graph (compile_update.h), in groups that pass through the vector unit
// together: one group per parameter, and one for all single numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "sim/isa/instruction.h"

namespace weft::compiler {

/// One vector instruction for each chunk: result = op(combine(a, b)).
struct LaneOperation {
  VectorCombine combine = VectorCombine::kNone;
  VectorOp op = VectorOp::kCopy;
  graph::ValueId a = graph::kNoValue;
  graph::ValueId b = graph::kNoValue;
  graph::ValueId result = graph::kNoValue;
};

/// Operations on values of the same size that depend on each other.
struct UpdateGroup {
  std::int64_t elements = 1;
  std::vector<LaneOperation> operations;
  std::vector<graph::ValueId>
      values;  // all of `elements` elements, each once; groups share single numbers
};

/// The groups of `graph` in order of execution. The group of single numbers is first, since the
/// others may use it. A function is joined with the binary operation before it if it alone uses
/// that result. Throws InputError naming the node if an update lacks an operator or broadcasts more
/// than single numbers.
std::vector<UpdateGroup> update_groups(const graph::Graph& graph);

}  // namespace weft::compiler
