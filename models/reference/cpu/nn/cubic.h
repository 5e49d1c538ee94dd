// Weights of cubic interpolation between four neighbors at distance 1. Source: Keys, Cubic
// convolution interpolation for digital image processing, IEEE TASSP 29 (1981), equation 4 with a
// free coefficient a, as ONNX names it.
#pragma once

#include <array>

namespace weft::reference {

/// The weights of the elements at -1, 0, 1 and 2 for a point at `fraction` in [0, 1) after 0. Their
/// sum is 1.
inline std::array<double, 4> cubic_weights(double fraction, double a) {
  const auto near = [a](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [a](double t) { return ((t - 5) * t + 8) * t * a - 4 * a; };
  return {far(fraction + 1), near(fraction), near(1 - fraction), far(2 - fraction)};
}

}  // namespace weft::reference
