// What an update graph (compile_update.h) computes, in groups that go through the vector unit
// together: one for each parameter, and one of all single numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "sim/isa/instruction.h"

namespace weft::network {

/// One vector instruction for each chunk: result = op(combine(a, b)).
struct LaneOperation {
  VectorCombine combine = VectorCombine::kNone;
  VectorOp op = VectorOp::kCopy;
  graph::ValueId a = graph::kNoValue;
  graph::ValueId b = graph::kNoValue;
  graph::ValueId result = graph::kNoValue;
};

/// Operations on values of so many elements, with all that they need of each other.
struct UpdateGroup {
  std::int64_t elements = 1;
  std::vector<LaneOperation> operations;
  std::vector<graph::ValueId>
      values;  // of so many elements, each once; numbers are shared by all groups
};

/// The groups of `graph` in their order of execution: single numbers first, which the others may
/// use. A function is joined with the combination that it alone uses. Throws InputError naming the
/// node if an update has no such operator, or broadcasts more than single numbers.
std::vector<UpdateGroup> update_groups(const graph::Graph& graph);

}  // namespace weft::network
