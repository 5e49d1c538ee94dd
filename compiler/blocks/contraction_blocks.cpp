#include "compiler/blocks/contraction_blocks.h"

#include <algorithm>
#include <variant>

#include "compiler/blocks/chunk_copy.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {

std::optional<std::int32_t> corrected_zero_point(const ContractionLayer& layer) {
  const auto* weights = std::get_if<ComputedWeights>(&layer.weights);
  return weights == nullptr ? std::nullopt : weights->a_zero;
}

std::int64_t sum_rows(const ContractionLayer& layer, const MachineConfig& config) {
  const std::int64_t rows = config.accumulator_rows;
  return corrected_zero_point(layer) ? rows - kCorrectionRows : rows;
}

std::uint64_t correction_need(const ContractionLayer& layer, const MachineConfig& config) {
  return corrected_zero_point(layer) ? std::uint64_t{kCorrectionRows} * config.result_row_rows()
                                     : 0;
}

ContractionBlocks::ContractionBlocks(const ContractionLayer& layer, const Places& places,
                                     std::span<const PlacedConstant> constants)
    : layer_(layer),
      places_(places),
      constants_(staging_need(constants) + correction_need(layer, places.config())),
      array_rows_(places.config().array_rows),
      cols_(places.config().array_cols) {}

// --- Planes and tiles ---

std::int64_t ContractionBlocks::first_plane(const BatchOffset& product) const {
  return (layer_.a.channel + product.a_channel) / array_rows_;
}

std::int64_t ContractionBlocks::front(const BatchOffset& product) const {
  return (layer_.a.channel + product.a_channel) % array_rows_;
}

std::int64_t ContractionBlocks::planes(const BatchOffset& product) const {
  return ceil_div(front(product) + layer_.k, array_rows_);
}

Planes ContractionBlocks::all_planes(const BatchOffset& product) const {
  return {first_plane(product), first_plane(product) + planes(product)};
}

std::int64_t ContractionBlocks::most_planes() const {
  std::int64_t most = 0;
  for (const BatchOffset& product : layer_.batch) most = std::max(most, planes(product));
  return most;
}

std::int64_t ContractionBlocks::n_tiles() const {
  return ceil_div(layer_.n, cols_);
}

Columns ContractionBlocks::columns_of(std::int64_t tile, std::int64_t count) const {
  return {tile * cols_, std::min((tile + count) * cols_, layer_.n)};
}

std::int64_t ContractionBlocks::pieces() const {
  const auto* constant = std::get_if<ConstantWeights>(&layer_.weights);
  return constant == nullptr ? 1 : constant->pieces;
}

std::int64_t ContractionBlocks::folds(const BatchOffset& product) const {
  return pieces() * layer_.walk.taps() * planes(product);
}

bool ContractionBlocks::has_weights(const BatchOffset& product, std::int64_t plane,
                                    std::int64_t tile) const {
  if (layer_.groups == 1) return true;
  const std::int64_t group_k = layer_.k / layer_.groups;
  const std::int64_t group_n = layer_.n / layer_.groups;
  const std::int64_t k_first = std::max<std::int64_t>(0, plane * array_rows_ - front(product));
  const std::int64_t k_last = std::min(layer_.k, (plane + 1) * array_rows_ - front(product)) - 1;
  const std::int64_t n_first = tile * cols_;
  const std::int64_t n_last = std::min(layer_.n, n_first + cols_) - 1;
  return k_first / group_k <= n_last / group_n && n_first / group_n <= k_last / group_k;
}

bool ContractionBlocks::has_weights(const BatchOffset& product, const Planes& part,
                                    std::int64_t tile) const {
  for (std::int64_t plane = part.first; plane < part.last; ++plane) {
    if (has_weights(product, plane, tile)) return true;
  }
  return false;
}

// --- Blocks of sheets ---

LayerTiles ContractionBlocks::tiles(const Chunks& chunks) const {
  const BatchOffset& product = layer_.batch.front();
  LayerTiles tiles;
  tiles.products = layer_.batch.size();
  for (std::int64_t i = 0; i < chunks.size(); ++i) tiles.m.push_back(chunks[i].first_row);
  tiles.m.push_back(layer_.walk.rows());
  const std::int64_t copies = pieces() * layer_.walk.taps();
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    for (std::int64_t plane = 0; plane < planes(product); ++plane) {
      const std::int64_t channel = std::max<std::int64_t>(0, plane * array_rows_ - front(product));
      tiles.k.push_back(copy * layer_.k + channel);
    }
  }
  tiles.k.push_back(copies * layer_.k);
  for (std::int64_t tile = 0; tile < n_tiles(); ++tile) tiles.n.push_back(tile * cols_);
  tiles.n.push_back(layer_.n);
  return tiles;
}

Block ContractionBlocks::out_block(const BatchOffset& product, const Chunk& chunk,
                                   const Columns& columns) const {
  const std::int64_t row = layer_.out.row + product.out_row + chunk.first_row;
  const std::int64_t channel = layer_.out.channel + product.out_channel;
  const std::int64_t width = places_.plane_width(layer_.out.sheet);
  return {(channel + columns.first) / width, ceil_div(channel + columns.last, width), row,
          row + chunk.rows()};
}

Block ContractionBlocks::residual_block(const BatchOffset& product, const Chunk& chunk,
                                        const Columns& columns) const {
  const View& view = *layer_.epilogue.residual;
  const std::int64_t row = view.row + product.out_row + chunk.first_row;
  return {(view.channel + columns.first) / array_rows_,
          ceil_div(view.channel + columns.last, array_rows_), row, row + chunk.rows()};
}

Block ContractionBlocks::b_block(const BatchOffset& product, const Columns& columns) const {
  const ComputedWeights& weights = std::get<ComputedWeights>(layer_.weights);
  const std::int64_t row = weights.view.row + product.b_row;
  const std::int64_t channel = weights.view.channel + product.b_channel;
  if (weights.transpose) {
    return {channel / array_rows_, ceil_div(channel + layer_.k, array_rows_), row + columns.first,
            row + columns.last};
  }
  return {(channel + columns.first) / array_rows_, ceil_div(channel + columns.last, array_rows_),
          row, row + layer_.k};
}

// --- Staging ---

std::uint64_t ContractionBlocks::input_need(const BatchOffset& product, const Chunk& chunk,
                                            std::int64_t count) const {
  return compiler::input_need(places_, layer_.a.sheet, layer_.walk, chunk,
                              {0, std::min(count, planes(product))});
}

std::uint64_t ContractionBlocks::staged(const BatchOffset& product, const Chunk& chunk,
                                        const Columns& columns, std::int64_t count) const {
  std::uint64_t rows = input_need(product, chunk, count) + constants_ +
                       places_.staging_need(layer_.out.sheet, out_block(product, chunk, columns));
  if (layer_.epilogue.residual) {
    rows += places_.staging_need(layer_.epilogue.residual->sheet,
                                 residual_block(product, chunk, columns));
  }
  if (const auto* weights = std::get_if<ComputedWeights>(&layer_.weights)) {
    rows += places_.staging_need(weights->view.sheet, b_block(product, columns));
  }
  return rows;
}

}  // namespace weft::compiler
