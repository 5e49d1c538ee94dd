// Gradients against central differences, in float64. With f the sum over all outputs of seed *
// output, seeds drawn from [-1, 1],
//
//     g = df/dx        D(h) = (f(x + h) - f(x - h)) / 2h
//
//     |g - D(h)| <= h^2/6 |f'''|         the rest of Taylor's series
//                 + 2 u n S / 2h         each f is a sum rounded n times, S = sum |seed * output|
//                 + 2^-22 max |g|        constants of gradient graphs are float32, some two a path
//
// With h = 2^-16, |f'''| <= 1000 S and n <= 1000 (small shapes, operands of order 1) the first two
// are 4e-8 S and 8e-9 S; kRelative rounds their sum up. Operands are drawn further than h from
// every kink and every tie, so that f is smooth between x - h and x + h.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "compiler/autodiff/differentiate.h"
#include "compiler/graph/builder.h"
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

/// From low to high, both included.
std::int64_t between(Random& random, std::int64_t low, std::int64_t high);
bool chance(Random& random);
/// A shape of `rank` extents from 1 to `largest`.
Shape random_shape(Random& random, std::size_t rank, std::int64_t largest = 4);

/// float64, uniform.
Tensor reals(Random& random, const Shape& shape, double low = -1, double high = 1);
/// At least 1/16 away from each of `kinks`.
Tensor reals_beside(Random& random, const Shape& shape, const std::vector<double>& kinks,
                    double low = -2, double high = 2);
/// Different multiples of 1/64.
Tensor distinct(Random& random, const Shape& shape);

/// A graph of one or a few operators, and the point at which it is differentiated.
class Case {
 public:
  /// An input that the gradient is taken to, or one that it is not.
  ValueId variable(Tensor value);
  ValueId fixed(Tensor value);
  /// Constants.
  ValueId number(float value) { return builder.constant(Tensor::scalar(value)); }
  ValueId list(const std::vector<std::int64_t>& values) {
    return builder.constant(Tensor::vector(values));
  }

  Builder builder = Builder("case");
  NamedTensors inputs = {};
  std::vector<std::string> wrt = {};
};

/// What the graph computes, in float64, where the reference does not run the training form.
using Forward = std::function<NamedTensors(const NamedTensors& inputs)>;

/// Makes `outputs` the outputs of the case and compares the gradients of all its variables, up to
/// 24 elements of each, with central differences. Without `forward` the graph itself is run.
void check_gradients(Case& test, const std::vector<ValueId>& outputs, Random& random,
                     Forward forward = {});

/// Compares `gradient` with the central differences of `f` in `inputs[name]`: up to 24 elements,
/// drawn; `scale` is S above.
void check_against_differences(const std::function<double(const NamedTensors&)>& f,
                               const NamedTensors& inputs, const std::string& name,
                               const Tensor& gradient, double scale, Random& random);

}  // namespace weft::autodiff::testing
