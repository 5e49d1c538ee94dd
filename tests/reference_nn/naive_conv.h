// Convolutions as their definition has them, one output element at a time, for any element type,
// with the padding worked out here from the attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn_test.h"

namespace weft::reference {

/// A random convolution's geometry: D spatial dimensions.
struct ConvCase {
  std::int64_t images = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;   // a group
  std::int64_t out_channels = 1;  // a group
  Ints input;
  Ints kernel;
  Ints strides;
  Ints dilations;
  Ints pads;             // begins, then ends; those of auto_pad if that is not NOTSET
  std::string auto_pad;  // NOTSET, VALID, SAME_UPPER or SAME_LOWER

  std::size_t dimensions() const { return input.size(); }
  Shape x_shape() const;
  Shape w_shape() const;
  Shape y_shape() const;
  Attributes attributes() const;
};

ConvCase random_conv(Generator& generator, std::size_t dimensions);

struct NaiveConv {
  Shape shape;
  std::vector<double> sums;
  std::vector<double> magnitudes;  // sums of |x * w|, for error bounds
};

/// In binary64, which is exact for integers below 2^53. Elements of x and w less `x_zero` and
/// `w_zeros` (one, or one for each output channel).
NaiveConv naive_conv(const ConvCase& conv, const Tensor& x, const Tensor& w, double x_zero = 0,
                     const std::vector<double>& w_zeros = {0});

}  // namespace weft::reference
