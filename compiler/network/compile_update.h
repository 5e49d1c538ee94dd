// Graphs of float32 arithmetic, element by element, as optimisers are: all of it on the vector unit
// of a bf16 or fp16 machine, in wide rows, so that no value is ever rounded to the array's type.
//
// A tensor is cut into rows of C words, whatever its shape, and goes through chunk by chunk:
//
//   load     parameter, gradient, velocity           rows [r, r + n) of each
//   vector   one instruction for each operator       binary32, one rounding each
//   store    the new parameter, the new velocity
//
// Numbers that are broadcast (a learning rate) are one wide row with that number in every lane.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/network/network_program.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// Compiles a graph of Add, Sub, Mul, Div, Neg, Abs, Sqrt, Reciprocal and Identity of float32
/// values, each operand of as many elements as the result or of one. Inputs of one element, of any
/// rank, may change from run to run like all others. Every operator is rounded once, so that the
/// results have the bits of the CPU reference, but for the payloads of NaN.
/// Throws InputError naming the node for any other graph and for an int8 machine, ConfigError if
/// the unified buffer is too small for one row of each value.
NetworkProgram compile_update(graph::Graph graph, const MachineConfig& config);

}  // namespace weft::network
