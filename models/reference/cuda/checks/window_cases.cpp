#include "models/reference/cuda/checks/operator_cases.h"

namespace weft::cuda {
namespace {

using graph::Attribute;
using graph::Op;
using graph::Shape;
using graph::Tensor;

using Cases = std::vector<OperatorCase>;
using Ints = std::vector<std::int64_t>;

/// One number from 1 to `most` for each dimension.
Ints numbers(Generator& generator, std::int64_t dims, std::int64_t most) {
  return random_shape(generator, dims, most);
}

Ints pads_below(Generator& generator, const Ints& kernel) {
  Ints pads;
  for (int side = 0; side < 2; ++side) {
    for (const std::int64_t extent : kernel) pads.push_back(between(generator, 0, extent - 1));
  }
  return pads;
}

Shape joined(Shape head, const Shape& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

/// Spatial extents that the dilated kernel fits into.
Shape spatial(Generator& generator, const Ints& kernel, const Ints& dilations) {
  Shape shape;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    shape.push_back((kernel[d] - 1) * dilations[d] + between(generator, 1, 5));
  }
  return shape;
}

OperatorCase convolution(Generator& generator) {
  const std::int64_t dims = between(generator, 1, 3);
  const bool pointwise = between(generator, 0, 4) == 0;
  const bool depthwise = between(generator, 0, 3) == 0;
  const std::int64_t groups = depthwise ? between(generator, 2, 4) : between(generator, 1, 3);
  const std::int64_t in = depthwise ? 1 : between(generator, 1, 3);
  const std::int64_t out = groups * between(generator, 1, 3);
  const Ints kernel = numbers(generator, dims, pointwise ? 1 : 3);
  const Ints dilations = numbers(generator, dims, 2);
  const Shape x =
      joined({between(generator, 1, 3), groups * in}, spatial(generator, kernel, dilations));
  CaseBuilder node(Op::kConv);
  node.input(random_tensor(generator, x))
      .input(random_tensor(generator, joined({out, in}, kernel)));
  coin(generator) ? node.input(random_tensor(generator, {out})) : node.none();
  node.set("group", groups).set("dilations", dilations);
  if (!pointwise) {
    node.set("strides", numbers(generator, dims, 2)).set("pads", pads_below(generator, kernel));
  }
  if (coin(generator)) node.set("activation", std::string("Relu"));
  return node.depth(in * graph::element_count(kernel) + 2).build();
}

OperatorCase transposed_convolution(Generator& generator) {
  const std::int64_t dims = between(generator, 1, 3);
  const std::int64_t groups = between(generator, 1, 3);
  const std::int64_t in = between(generator, 1, 3);
  const std::int64_t out = between(generator, 1, 3);
  const Ints kernel = numbers(generator, dims, 3);
  const Ints strides = numbers(generator, dims, 3);
  const Shape x = joined({between(generator, 1, 3), groups * in}, random_shape(generator, dims));
  CaseBuilder node(Op::kConvTranspose);
  node.input(random_tensor(generator, x))
      .input(random_tensor(generator, joined({groups * in, out}, kernel)))
      .set("group", groups)
      .set("strides", strides)
      .set("dilations", numbers(generator, dims, 2));
  Ints extra;
  for (const std::int64_t stride : strides) extra.push_back(between(generator, 0, stride - 1));
  if (coin(generator)) node.set("output_padding", extra);
  if (coin(generator)) node.input(random_tensor(generator, {groups * out}));
  return node.depth(in * graph::element_count(kernel) + 1).build();
}

CaseBuilder pool(Generator& generator, Op op, bool dilated) {
  const std::int64_t dims = between(generator, 1, 3);
  const Ints kernel = numbers(generator, dims, 3);
  const Ints dilations = dilated ? numbers(generator, dims, 2) : Ints(kernel.size(), 1);
  const Shape x = joined({between(generator, 1, 2), between(generator, 1, 3)},
                         spatial(generator, kernel, dilations));
  CaseBuilder node(op);
  node.input(dilated ? special_tensor(generator, x) : random_tensor(generator, x))
      .set("kernel_shape", kernel)
      .set("strides", numbers(generator, dims, 3))
      .set("ceil_mode", between(generator, 0, 1));
  if (coin(generator)) {
    node.set("pads", pads_below(generator, kernel));
  } else if (coin(generator)) {
    node.set("auto_pad", std::string(coin(generator) ? "SAME_UPPER" : "SAME_LOWER"));
  }
  if (dilated) node.set("dilations", dilations);
  return node;
}

OperatorCase max_pool(Generator& generator) {
  return pool(generator, Op::kMaxPool, true)
      .set("storage_order", between(generator, 0, 1))
      .build(1 + static_cast<std::size_t>(coin(generator)));
}

OperatorCase average_pool(Generator& generator) {
  return pool(generator, Op::kAveragePool, false)
      .set("count_include_pad", between(generator, 0, 1))
      .build();
}

}  // namespace

Cases window_cases(Generator& generator) {
  Cases cases;
  cases.push_back(convolution(generator));
  cases.push_back(transposed_convolution(generator));
  cases.push_back(max_pool(generator));
  cases.push_back(average_pool(generator));
  for (const Op op : {Op::kGlobalAveragePool, Op::kGlobalMaxPool}) {
    const Shape shape = random_shape(generator, between(generator, 3, 5));
    cases.push_back(CaseBuilder(op).input(special_tensor(generator, shape)).build());
  }
  return cases;
}

}  // namespace weft::cuda
