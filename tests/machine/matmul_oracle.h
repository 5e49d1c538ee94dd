// The contract's order of additions as a naive loop. Each engine must give the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pe/arithmetic.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/matrix.h"

namespace weft::testing {

/// Computes one element of activation(A*B + bias). Each fold sums R products, including padding,
/// down the rows from +0. The folds are added in order, then the bias; then the activation applies.
template <class Arithmetic>
typename Arithmetic::Psum oracle_element(const Matrix& a, const Matrix& b, const Matrix* bias,
                                         const MatmulSpec& spec, std::uint32_t array_rows,
                                         std::uint64_t m, std::uint64_t n) {
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;
  Psum sum{};
  for (std::uint64_t k0 = 0; k0 < spec.k; k0 += array_rows) {
    Psum chain{};
    for (std::uint64_t k = k0; k < k0 + array_rows; ++k) {
      const bool inside = k < spec.k;
      const Element act = inside ? a.at<Element>(m, k) : Element{};
      const Element weight = inside ? b.at<Element>(k, n) : Element{};
      chain = Arithmetic::mac(Arithmetic::widen(act), Arithmetic::widen(weight), chain);
    }
    sum = k0 == 0 ? chain : Arithmetic::add(sum, chain);
  }
  if (bias != nullptr) sum = Arithmetic::add(sum, bias->at<Psum>(0, n));
  if (spec.activation == Activation::kNone || sum != sum) return sum;
  sum = sum > Psum{0} ? sum : Psum{0};
  return spec.activation == Activation::kRelu6 ? std::min(sum, Psum{6}) : sum;
}

template <class Arithmetic>
Matrix oracle_matmul(const Matrix& a, const Matrix& b, const Matrix* bias, const MatmulSpec& spec,
                     std::uint32_t array_rows) {
  Matrix out(accumulator_type(Arithmetic::kType), spec.m, spec.n);
  for (std::uint64_t m = 0; m < spec.m; ++m) {
    for (std::uint64_t n = 0; n < spec.n; ++n) {
      out.set(m, n, oracle_element<Arithmetic>(a, b, bias, spec, array_rows, m, n));
    }
  }
  return out;
}

}  // namespace weft::testing
