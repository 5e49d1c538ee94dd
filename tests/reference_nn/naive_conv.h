// Convolutions by definition, one output element at a time, for any element type. The padding is
// computed here from the attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn_test.h"

namespace weft::reference {

/// Geometry of a random convolution with any number of spatial dimensions.
struct ConvCase {
  std::int64_t images = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;   // per group
  std::int64_t out_channels = 1;  // per group
  Ints input;
  Ints kernel;
  Ints strides;
  Ints dilations;
  Ints pads;             // begins, then ends; computed from auto_pad unless that is NOTSET
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

/// Computes in binary64, exact for integers below 2^53. Subtracts `x_zero` from x and `w_zeros`
/// from w (one value, or one per output channel).
NaiveConv naive_conv(const ConvCase& conv, const Tensor& x, const Tensor& w, double x_zero = 0,
                     const std::vector<double>& w_zeros = {0});

}  // namespace weft::reference
