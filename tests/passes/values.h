// Runs graphs on the CPU reference to compare a network before and after a pass.
#pragma once

#include "models/reference/cpu/run_graph.h"
#include "tests/passes/networks.h"

namespace weft::passes::testing {

using reference::NamedTensors;

/// Inputs for `graph`: floats from -1 to 1, integers over their 8-bit range.
NamedTensors random_inputs(const Graph& graph, Random& random);
/// The only output of `graph`.
Tensor run(const Graph& graph, const NamedTensors& inputs);
/// The largest difference between elements of two float32 tensors of one shape.
double largest_difference(const Tensor& a, const Tensor& b);
/// The largest magnitude.
double largest(const Tensor& tensor);

/// Expects the same bits from both graphs for a few random inputs.
void expect_same_bits(const Graph& before, const Graph& after, Random& random);
/// Expects results that differ by at most `bound` times the largest result.
void expect_close(const Graph& before, const Graph& after, Random& random, double bound);

}  // namespace weft::passes::testing
