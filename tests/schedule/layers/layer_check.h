// Checks single layers on random machines against the CPU reference.
//
// Operands are small whole numbers, so products and sums of floats are exact. The expected result
// is the reference's, rounded once to the array's type where it is stored narrow: tolerance 0.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/program/network_program.h"
#include "runtime/network_runner.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {

using graph::Attributes;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using Ints = std::vector<std::int64_t>;
/// Number of cases per class.
using Hits = std::map<std::string, int>;

inline constexpr std::uint64_t kCases = 400;

/// Calls check(random, hits) with seeds 0 to cases - 1; stops at the first failure.
template <class Check>
void for_each_seed(Hits& hits, Check&& check, std::uint64_t cases = kCases) {
  std::cout << "seeds 0 to " << cases - 1 << '\n';
  for (std::uint64_t seed = 0; seed < cases && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    check(random, hits);
  }
}

/// A graph of one layer, with its inputs.
struct LayerCase {
  explicit LayerCase(ElementType type) : dtype(type), builder("layer") {}

  graph::ValueId input(const graph::Tensor& tensor);
  graph::ValueId constant(graph::Tensor tensor) { return builder.constant(std::move(tensor)); }
  /// Computes -x on the machine, so that later layers read a value written by a layer.
  graph::ValueId through_machine(graph::ValueId value) {
    return builder.add(graph::Op::kNeg, {value});
  }

  /// real = (bytes - zero point) * s, with a random zero point and a random s near `scale`.
  graph::ValueId dequantized(const graph::Tensor& bytes, double scale, Random& random);
  /// QuantizeLinear of `real`, with a random zero point and a random scale near `scale`.
  graph::ValueId quantized(graph::ValueId real, bool is_unsigned, double scale, Random& random);

  ElementType dtype;
  graph::Builder builder;
  runtime::NamedTensors inputs;
  std::size_t input_count = 0;
};

/// A compiled layer and its run.
struct LayerOutcome {
  NetworkProgram program;
  runtime::NetworkRun run;
  bool on_machine = false;  // no host steps
  bool streamed = false;    // some value did not stay in the unified buffer

  const graph::Tensor& result() const { return run.outputs.at("y"); }
};

/// bf16 or fp16.
ElementType random_float_type(Random& random);
/// R and C are 3 to 8, not always equal. Memories range from too small to ample.
MachineConfig random_layer_machine(ElementType dtype, Random& random);
/// No search in most cases of a usual run: a search lowers a layer many times, and nine tenths of
/// the time of a test would go into it.
SearchEffort random_effort(Random& random);

/// Compiles the case with `value` as output y, runs it on engine fast and times it by analytic. If
/// the machine is too small for the layer, `config` gets a larger buffer.
LayerOutcome run_layer(LayerCase& layer, graph::ValueId value, MachineConfig& config,
                       const MappingOptions& mapping = {});

/// A size near the array's side: 1, side - 1, side, side + 1 or 2 side + 3.
std::int64_t size_about(std::uint32_t side, Random& random);
std::string size_class(std::int64_t size, std::uint32_t side);

/// Expects the value of every layer to be the reference's, also those that do not leave the
/// machine.
void expect_exact_layers(const LayerOutcome& outcome, const LayerCase& layer,
                         const MachineConfig& config);

/// int8 or uint8 elements over the whole range.
graph::Tensor random_bytes(const graph::Shape& shape, bool is_unsigned, Random& random);
/// A scalar int8 or uint8 over the whole range.
graph::Tensor random_zero_point(bool is_unsigned, Random& random);
/// Scales from about / 2 to about * 2.
graph::Tensor random_scales(const graph::Shape& shape, double about, Random& random);

struct ByteWeights {
  graph::Tensor elements;
  graph::Tensor zero_point;  // same shape as the scales
};
/// int8 with zero point 0, or uint8 with a zero point near 128: the differences fit int8.
ByteWeights random_byte_weights(const graph::Shape& shape, const graph::Shape& scale_shape,
                                Random& random);
/// Scale for results that sum `count` products of bytes, as a multiple of the product of the
/// operands' scales. With it, results fill their range and sometimes leave it.
double spread_of_sums(std::int64_t count);

/// Rounds float32 elements to the array's type.
graph::Tensor rounded(const graph::Tensor& tensor, ElementType dtype);

/// Now and then checks that all engines give the same cycles and bits. Counts "engines".
void try_engines(const LayerOutcome& outcome, const LayerCase& layer, const MachineConfig& config,
                 Random& random, Hits& hits);

/// Counts "streamed" and "several chunks".
void count_layers(const LayerOutcome& outcome, Hits& hits);

/// Expects the reference's result: integers bit by bit, floats as numbers. The expected floats are
/// rounded to the array's type if `narrow` is set and the machine computed everything.
void expect_exact(const LayerOutcome& outcome, const LayerCase& layer, bool narrow);

/// Expects each element within bound(exact) of the float64 reference.
void expect_within(const LayerOutcome& outcome, const LayerCase& layer,
                   const std::function<double(double)>& bound);

/// Expects QuantizeLinear of the float64 reference, within bound(exact): the nearest integer, or
/// its neighbor where the bound crosses the midpoint.
void expect_quantized_within(const LayerOutcome& outcome, const LayerCase& layer,
                             const std::function<double(double)>& bound);

/// Prints the counts and expects at least `least` for each of `names`.
void expect_hits(const Hits& hits, std::initializer_list<const char*> names, int least);

}  // namespace weft::compiler::testing
