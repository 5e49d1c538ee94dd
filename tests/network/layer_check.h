// Single layers on random machines against the CPU reference.
//
// Operands are small whole numbers, so that products and sums of floats are exact and the expected
// result is the reference's, rounded once to the array's type where it lies narrow: tolerance 0.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "cli/network_runner.h"
#include "compiler/graph/builder.h"
#include "compiler/network/network_program.h"
#include "tests/network/random.h"

namespace weft::network::testing {

using graph::Attributes;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using Ints = std::vector<std::int64_t>;
/// How often the classes of cases came up.
using Hits = std::map<std::string, int>;

inline constexpr std::uint64_t kCases = 400;

/// check(random, hits) with the seeds 0 to kCases - 1, until one fails.
template <class Check>
void for_each_seed(Hits& hits, Check&& check) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  for (std::uint64_t seed = 0; seed < kCases && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    check(random, hits);
  }
}

/// A layer in a graph of its own, with its inputs.
struct LayerCase {
  explicit LayerCase(ElementType type) : dtype(type), builder("layer") {}

  graph::ValueId input(const graph::Tensor& tensor);
  graph::ValueId constant(graph::Tensor tensor) { return builder.constant(std::move(tensor)); }
  /// x = -x, on the machine: what comes after it reads a sheet that a layer has written.
  graph::ValueId through_machine(graph::ValueId value) {
    return builder.add(graph::Op::kNeg, {value});
  }

  /// real = (bytes - zero point) * scale, both made up; `scale` is about what it says.
  graph::ValueId dequantised(const graph::Tensor& bytes, double scale, Random& random);
  /// Bytes from real numbers, with the same.
  graph::ValueId quantised(graph::ValueId real, bool is_unsigned, double scale, Random& random);

  ElementType dtype;
  graph::Builder builder;
  cli::NamedTensors inputs;
  std::size_t input_count = 0;
};

/// What became of a layer.
struct LayerOutcome {
  NetworkProgram program;
  cli::NetworkRun run;
  bool on_machine = false;  // all of it
  bool streamed = false;    // some sheet did not stay in the unified buffer

  const graph::Tensor& result() const { return run.outputs.at("y"); }
};

/// R and C from 3 to 8, not always equal; memories from too small to ample. `dtype` as given.
MachineConfig random_layer_machine(ElementType dtype, Random& random);

/// `value` as the output y of the case, compiled and run on engine fast, and timed by analytic.
/// Where the machine is too small for the layer, `config` gets a larger buffer.
LayerOutcome run_layer(LayerCase& layer, graph::ValueId value, MachineConfig& config);

/// A size about the array's side: 1, side - 1, side, side + 1, 2 side + 3.
std::int64_t size_about(std::uint32_t side, Random& random);
std::string size_class(std::int64_t size, std::uint32_t side);

/// Elements of int8 or uint8 over the whole range.
graph::Tensor random_bytes(const graph::Shape& shape, bool is_unsigned, Random& random);
/// A scalar of them.
graph::Tensor random_zero_point(bool is_unsigned, Random& random);
/// From half of `about` to twice as much.
graph::Tensor random_scales(const graph::Shape& shape, double about, Random& random);

struct ByteWeights {
  graph::Tensor elements;
  graph::Tensor zero_point;  // of the scales' shape
};
/// int8 with zero point 0, or uint8 about a zero point near 128: the differences fit int8.
ByteWeights random_byte_weights(const graph::Shape& shape, const graph::Shape& scale_shape,
                                Random& random);
/// How far sums of `count` products of bytes spread, in products of scales, for results that fill
/// their range and now and then leave it.
double spread_of_sums(std::int64_t count);

/// float32 elements rounded to the array's type.
graph::Tensor rounded(const graph::Tensor& tensor, ElementType dtype);

/// Now and then runs the program on the other engines: the same cycles and bits. Counts "engines".
void try_engines(const LayerOutcome& outcome, const LayerCase& layer, const MachineConfig& config,
                 Random& random, Hits& hits);

/// Counts "streamed" and "several chunks".
void count_layers(const LayerOutcome& outcome, Hits& hits);

/// The reference's result is that of the machine: integers bit by bit, floats as numbers, after
/// rounding to the array's type if `narrow` and the machine computed it.
void expect_exact(const LayerOutcome& outcome, const LayerCase& layer, bool narrow);

/// Each element within bound(exact) of the reference in float64.
void expect_within(const LayerOutcome& outcome, const LayerCase& layer,
                   const std::function<double(double)>& bound);

/// The result is QuantizeLinear of what the reference has in float64, give or take bound(exact):
/// the nearest integer, or its neighbour where the bound reaches over the middle.
void expect_quantised_within(const LayerOutcome& outcome, const LayerCase& layer,
                             const std::function<double(double)>& bound);

/// Prints the counts, and expects at least `least` of each of `names`.
void expect_hits(const Hits& hits, std::initializer_list<const char*> names, int least);

}  // namespace weft::network::testing
