#include "naive_conv.h"

#include <cmath>

namespace weft::reference {
namespace {

std::int64_t span(const ConvCase& conv, std::size_t d) {
  return (conv.kernel[d] - 1) * conv.dilations[d] + 1;
}

/// SAME: the number of strides, rounded up; an odd pad goes to the named side.
void pad_same(ConvCase& conv, std::size_t d) {
  const std::int64_t outputs = (conv.input[d] + conv.strides[d] - 1) / conv.strides[d];
  std::int64_t total = (outputs - 1) * conv.strides[d] + span(conv, d) - conv.input[d];
  if (total < 0) total = 0;
  const std::int64_t small = total / 2;
  conv.pads[d] = conv.auto_pad == "SAME_UPPER" ? small : total - small;
  conv.pads[conv.dimensions() + d] = total - conv.pads[d];
}

void choose_dimension(Generator& generator, ConvCase& conv, std::size_t d) {
  conv.kernel[d] = between(generator, 1, 3);
  conv.strides[d] = between(generator, 1, 3);
  conv.dilations[d] = between(generator, 1, 2);
  conv.input[d] = span(conv, d) + between(generator, 0, 6);
  if (conv.auto_pad.starts_with("SAME")) {
    pad_same(conv, d);
  } else if (conv.auto_pad == "NOTSET") {
    conv.pads[d] = between(generator, 0, 2);
    conv.pads[conv.dimensions() + d] = between(generator, 0, 2);
  }
}

}  // namespace

Shape ConvCase::x_shape() const {
  return joined({images, groups * in_channels}, input);
}

Shape ConvCase::w_shape() const {
  return joined({groups * out_channels, in_channels}, kernel);
}

Shape ConvCase::y_shape() const {
  Shape shape{images, groups * out_channels};
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::int64_t padded = input[d] + pads[d] + pads[dimensions() + d];
    shape.push_back((padded - span(*this, d)) / strides[d] + 1);
  }
  return shape;
}

Attributes ConvCase::attributes() const {
  Attributes attributes{{"group", groups}, {"strides", strides}, {"dilations", dilations}};
  if (auto_pad == "NOTSET") {
    attributes.set("pads", pads);
  } else {
    attributes.set("auto_pad", auto_pad);
  }
  return attributes;
}

ConvCase random_conv(Generator& generator, std::size_t dimensions) {
  const std::vector<std::string> kinds{"NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
  ConvCase conv;
  conv.images = between(generator, 1, 2);
  conv.groups = between(generator, 1, 3);
  conv.in_channels = between(generator, 1, 4);
  conv.out_channels = between(generator, 1, 6);
  conv.auto_pad = kinds[static_cast<std::size_t>(between(generator, 0, 4))];
  for (Ints* list : {&conv.input, &conv.kernel, &conv.strides, &conv.dilations}) {
    list->resize(dimensions, 1);
  }
  conv.pads.resize(2 * dimensions, 0);
  for (std::size_t d = 0; d < dimensions; ++d) choose_dimension(generator, conv, d);
  return conv;
}

NaiveConv naive_conv(const ConvCase& conv, const Tensor& x, const Tensor& w, double x_zero,
                     const std::vector<double>& w_zeros) {
  const std::vector<double> xs = values(x);
  const std::vector<double> ws = values(w);
  NaiveConv result{conv.y_shape(), {}, {}};
  const std::vector<Ints> taps = coordinates(joined({conv.in_channels}, conv.kernel));
  for (const Ints& y : coordinates(result.shape)) {
    const auto channel = static_cast<std::size_t>(y[1]);
    const double w_zero = w_zeros.size() == 1 ? w_zeros[0] : w_zeros[channel];
    double sum = 0;
    double magnitude = 0;
    for (const Ints& tap : taps) {
      Ints from{y[0], y[1] / conv.out_channels * conv.in_channels + tap[0]};
      Ints weight{y[1], tap[0]};
      bool inside = true;
      for (std::size_t d = 0; d < conv.dimensions(); ++d) {
        from.push_back(y[d + 2] * conv.strides[d] - conv.pads[d] + tap[d + 1] * conv.dilations[d]);
        weight.push_back(tap[d + 1]);
        inside = inside && from.back() >= 0 && from.back() < conv.input[d];
      }
      if (!inside) continue;
      const double product = (xs[offset(conv.x_shape(), from)] - x_zero) *
                             (ws[offset(conv.w_shape(), weight)] - w_zero);
      sum += product;
      magnitude += std::abs(product);
    }
    result.sums.push_back(sum);
    result.magnitudes.push_back(magnitude);
  }
  return result;
}

}  // namespace weft::reference
