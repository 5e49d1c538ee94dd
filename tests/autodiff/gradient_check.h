// Checks gradients against central differences, in float64. Let f be the sum over all outputs of
// seed * output, with seeds drawn from [-1, 1]. Then
//
//     g = df/dx        D(h) = (f(x + h) - f(x - h)) / 2h
//
//     |g - D(h)| <= h^2/6 |f'''|         the rest of Taylor's series
//                 + 2 u n S / 2h         each f is a sum rounded n times, S = sum |seed * output|
//                 + 2^-22 max |g|        gradient graphs have float32 constants, about two per path
//
// With h = 2^-16, |f'''| <= 1000 S and n <= 1000 (small shapes, operands of order 1), the first two
// terms are 4e-8 S and 8e-9 S. kRelative rounds their sum up. Operands keep more than h away from
// every kink and every tie, so that f is smooth between x - h and x + h.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/autodiff/differentiate.h"
#include "compiler/graph/builder/builder.h"
#include "models/reference/cpu/run_graph.h"

namespace weft::autodiff::testing {

using graph::Attributes;
using graph::Builder;
using graph::DataType;
using graph::Graph;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using reference::NamedTensors;
using Random = std::mt19937_64;

inline constexpr double kStep = 1.0 / 65536;
inline constexpr double kRelative = 1e-7;
inline constexpr double kConstants = 1.0 / (1 << 22);

/// Returns a number from `low` to `high`, both included.
std::int64_t between(Random& random, std::int64_t low, std::int64_t high);
bool chance(Random& random);
/// Returns a shape of `rank` extents from 1 to `largest`.
Shape random_shape(Random& random, std::size_t rank, std::int64_t largest = 4);

/// A float32 tensor of these elements.
inline Tensor floats(Shape shape, const std::vector<float>& values) {
  return Tensor::of<float>(std::move(shape), values);
}
/// Returns float64 numbers, uniform in [low, high).
Tensor reals(Random& random, const Shape& shape, double low = -1, double high = 1);
/// Like reals(), but each number is at least 1/16 away from each of `kinks`.
Tensor reals_beside(Random& random, const Shape& shape, const std::vector<double>& kinks,
                    double low = -2, double high = 2);
/// Returns distinct multiples of 1/64.
Tensor distinct(Random& random, const Shape& shape);

/// A graph of one or a few operators, and the point at which it is differentiated.
class Case {
 public:
  /// variable() adds an input with a gradient, fixed() an input without one.
  ValueId variable(Tensor value);
  ValueId fixed(Tensor value);
  /// Add constants.
  ValueId number(float value) { return builder.constant(Tensor::scalar(value)); }
  ValueId list(const std::vector<std::int64_t>& values) {
    return builder.constant(Tensor::vector(values));
  }

  Builder builder = Builder("case");
  NamedTensors inputs = {};
  std::vector<std::string> wrt = {};
};

/// Computes the graph's outputs in float64, for graphs that the reference cannot run.
using Forward = std::function<NamedTensors(const NamedTensors& inputs)>;

/// Makes `outputs` the outputs of the case. Compares the gradients of all its variables with
/// central differences, at up to 24 random elements of each. Runs the graph itself if `forward` is
/// empty.
void check_gradients(Case& test, const std::vector<ValueId>& outputs, Random& random,
                     Forward forward = {});

/// Compares `gradient` with the central differences of `f` in `inputs[name]`, at up to 24 random
/// elements. `scale` is S above.
void check_against_differences(const std::function<double(const NamedTensors&)>& f,
                               const NamedTensors& inputs, const std::string& name,
                               const Tensor& gradient, double scale, Random& random);

}  // namespace weft::autodiff::testing
