#include "tests/schedule/folds/fold_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "compiler/emit/weights.h"
#include "compiler/graph/builder/builder.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "pe/float_formats.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Op;

/// Weights that hold component `part` of their own Weight, which bf16 can hold up to 256.
graph::Tensor numbered(const Conv& conv, std::size_t part) {
  graph::Tensor weights(graph::DataType::kFloat32, conv.w);
  const std::span<float> data = weights.mutable_data<float>();
  std::size_t at = 0;
  for (std::int64_t filter = 0; filter < conv.w[0]; ++filter) {
    for (std::int64_t channel = 0; channel < conv.w[1]; ++channel) {
      for (std::int64_t tap = 0; tap < conv.taps(); ++tap) {
        const Weight weight = {filter + 1, conv.channel(filter, channel) + 1, tap + 1};
        data[at++] = static_cast<float>(weight[part]);
      }
    }
  }
  return weights;
}

MachineStep compiled(const Conv& conv, std::size_t part, const MachineConfig& config,
                     const MappingOptions& mapping) {
  graph::Builder builder("conv");
  graph::ValueId x = builder.input("x", {graph::DataType::kFloat32, conv.x});
  if (conv.computed && !conv.pooled) x = builder.add(Op::kNeg, {x});
  // The input itself has single lines, and so have those that follow it lane by lane.
  if (conv.computed && conv.pooled) {
    x = builder.add(Op::kMaxPool, {x}, {{"kernel_shape", Shape{1, 1}}});
  }
  const auto one_tap = [&](std::int64_t filters, std::int64_t channels) {
    graph::Tensor ones(graph::DataType::kFloat32, {filters, channels, 1, 1});
    std::ranges::fill(ones.mutable_data<float>(), 1.0F);
    return builder.add(Op::kConv, {x, builder.constant(std::move(ones))});
  };
  if (conv.between) x = one_tap(conv.x[1], conv.x[1]);
  const graph::ValueId w = builder.constant(numbered(conv, part));
  graph::ValueId y = builder.add(Op::kConv, {x, w}, {{"group", conv.groups}});
  if (conv.pooled) {
    y = builder.add(Op::kMaxPool, {y}, {{"kernel_shape", Shape{2, 2}}, {"strides", Shape{2, 2}}});
  }
  if (conv.between) {
    x = y;
    y = one_tap(1, conv.w[0]);
  }
  builder.output(y, "y");
  NetworkProgram program =
      compile_network(prepared(builder.finish()), config, {.mapping = mapping});
  return std::get<MachineStep>(std::move(program.steps.front()));
}

/// The weights of the convolution, which are the second if another lies before it.
Matrix packed_weights(const Conv& conv, const MachineStep& step) {
  const auto& tensors = step.program.tensors;
  auto weights = std::ranges::find(tensors, TensorRole::kWeights, &TensorDecl::role);
  if (conv.between) {
    weights =
        std::ranges::find(weights + 1, tensors.end(), TensorRole::kWeights, &TensorDecl::role);
  }
  return step.tensors.at(static_cast<std::size_t>(weights - tensors.begin())).make();
}

/// What rows hold, one place after the other.
void add_rows(const WeightRows& rows, std::int64_t first_row, std::map<Place, Weight>& weights) {
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const std::int64_t block = i * rows.blocks / rows.rows();
    const std::int64_t filters = rows.filters / rows.blocks;
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      const std::int64_t number = rows.filter + block * filters + filter;
      const Place place = {first_row + rows.row + i, rows.column + block * filters + filter};
      const Weight weight = {number + 1, rows.channel + i / rows.taps + 1,
                             rows.tap + i % rows.taps + 1};
      EXPECT_TRUE(weights.emplace(place, weight).second) << "two weights in one place";
    }
  }
}

}  // namespace

std::map<Place, Weight> held(const Conv& conv, const MachineConfig& config,
                             const MappingOptions& mapping) {
  std::map<Place, Weight> weights;
  for (std::size_t part = 0; part < 3; ++part) {
    const Matrix packed = packed_weights(conv, compiled(conv, part, config, mapping));
    for (std::uint64_t row = 0; row < packed.rows(); ++row) {
      for (std::uint64_t col = 0; col < packed.cols(); ++col) {
        const float value = to_float(packed.at<Bf16>(row, col));
        if (value == 0) continue;
        weights[{static_cast<std::int64_t>(row), static_cast<std::int64_t>(col)}][part] =
            static_cast<std::int64_t>(value);
      }
    }
  }
  return weights;
}

std::int64_t rows_with_weights(const std::map<Place, Weight>& weights) {
  std::set<std::int64_t> rows;
  for (const auto& [place, weight] : weights) rows.insert(place.first);
  return static_cast<std::int64_t>(rows.size());
}

std::map<Place, Weight> mapped(const FoldMap& folds, std::int64_t array_rows) {
  std::map<Place, Weight> weights;
  for (const KTile& tile : folds.products.front().k_tiles) {
    for (const WeightRows& rows : tile.rows) {
      add_rows(rows, tile.number * array_rows, weights);
    }
  }
  return weights;
}

LayerInfo array_layer(const Conv& conv, const MachineConfig& config,
                      const MappingOptions& mapping) {
  const MachineStep step = compiled(conv, 0, config, mapping);
  const auto on_array = [](const LayerInfo& info) { return info.folds.has_value(); };
  auto layer = std::ranges::find_if(step.layers, on_array);
  if (conv.between && layer != step.layers.end()) {
    layer = std::ranges::find_if(layer + 1, step.layers.end(), on_array);
  }
  if (layer == step.layers.end()) throw std::logic_error("no layer is on the array");
  return *layer;
}

MachineConfig random_array(Random& random, int least, int most_rows, int most_columns) {
  MachineConfig config = small_machine(ElementType::kBf16, 4, 4);
  config.array_rows = static_cast<std::uint32_t>(random.between(least, most_rows));
  config.array_cols = static_cast<std::uint32_t>(random.between(least, most_columns));
  return config;
}

}  // namespace weft::compiler::testing
