// Compiles graphs of element-wise float32 arithmetic, such as optimizers. They run on the vector
// unit of a bf16 or fp16 machine, entirely in wide rows (32-bit words), so that no value is rounded
// to the array's type.
//
// A tensor of any shape is cut into rows of C words and processed chunk by chunk:
//
//   load     parameter, gradient, velocity           rows [r, r + n) of each
//   vector   one instruction for each operator       binary32, one rounding each
//   store    the new parameter, the new velocity
//
// A number that is broadcast (a learning rate) is one wide row with the number in every lane.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Compiles a graph of Add, Sub, Mul, Div, Neg, Abs, Sqrt, Reciprocal and Identity on float32
/// values. Each operand has one element or as many as the result. Every input may change from run
/// to run, also one of a single element. Every operator rounds once, so results have the bits of
/// the CPU reference, except for NaN payloads. Throws InputError naming the node for any other
/// graph and for an int8 machine, ConfigError if the unified buffer is too small for one row of
/// each value.
NetworkProgram compile_update(graph::Graph graph, const MachineConfig& config);

}  // namespace weft::compiler
