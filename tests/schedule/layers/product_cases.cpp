#include "tests/schedule/layers/product_cases.h"

namespace weft::compiler::testing {

Sizes random_sizes(const MachineConfig& config, std::int64_t most_axes, Random& random) {
  Sizes sizes;
  sizes.batch.resize(static_cast<std::size_t>(random.between(0, most_axes)));
  for (std::int64_t& extent : sizes.batch) extent = random.between(1, 3);
  sizes.m = random.chance(70) ? size_about(config.array_rows, random) : random.between(1, 40);
  sizes.k = size_about(config.array_rows, random);
  sizes.n = size_about(config.array_cols, random);
  return sizes;
}

Heads random_heads(const MachineConfig& config, Random& random) {
  return {random.between(1, 2), random.between(1, 3), size_about(config.array_cols, random),
          size_about(config.array_rows, random)};
}

ValueId split_heads(LayerCase& layer, ValueId x, std::int64_t heads, bool swapped) {
  const Shape shape = layer.builder.type(x).shape;
  const ValueId split =
      layer.builder.add(Op::kReshape, {x, layer.constant(Tensor::vector<std::int64_t>(
                                              {shape[0], shape[1], heads, shape[2] / heads}))});
  return layer.builder.add(Op::kTranspose, {split},
                           {{"perm", swapped ? Ints{0, 2, 3, 1} : Ints{0, 2, 1, 3}}});
}

ValueId merge_heads(LayerCase& layer, ValueId x) {
  const ValueId swapped = layer.builder.add(Op::kTranspose, {x}, {{"perm", Ints{0, 2, 1, 3}}});
  const Shape shape = layer.builder.type(swapped).shape;
  return layer.builder.add(
      Op::kReshape,
      {swapped,
       layer.constant(Tensor::vector<std::int64_t>({shape[0], shape[1], shape[2] * shape[3]}))});
}

}  // namespace weft::compiler::testing
