// Removes multiplications and divisions by powers of two that constant weights can take over. The
// scale of attention moves up, into the weights and bias of a projection; the last factor of a gelu
// moves down, into the weights of the next product:
//
//     (x W + b) * 2^k          becomes   x (2^k W) + 2^k b
//     ((x * 2^k) * y) W        becomes   (x * y) (2^k W)
//
// On the way up are views, transpositions, splits of the last axis, additions of constants, and
// products of two computed matrices; on the way down are views, products and quotients. Every value
// on the way must have one use, so training graphs, in which the backward part uses it too, stay as
// they are.
//
// All results stay the same in every bit unless a number on the way, or a weight, leaves the normal
// numbers of its type. Therefore |k| is at most 8. Weights made on demand are scaled on demand.
#pragma once

#include "compiler/graph/graph.h"

namespace weft::passes {

graph::Graph move_powers(graph::Graph graph);

}  // namespace weft::passes
