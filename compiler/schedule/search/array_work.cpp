#include "compiler/schedule/search/array_work.h"

#include <algorithm>

#include "compiler/layers/chunks.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {

ArrayWork array_work(const ContractionLayer& layer, const Mapping& mapping,
                     const MachineConfig& config) {
  const std::int64_t k_tiles = ceil_div(layer.k, std::int64_t{config.array_rows});
  const std::int64_t n_tiles = ceil_div(layer.n, std::int64_t{config.array_cols});
  // With groups only the tiles on the diagonal hold weights.
  const std::int64_t tiles = layer.groups > 1 ? std::max(k_tiles, n_tiles) : k_tiles * n_tiles;
  const auto* constant = std::get_if<ConstantWeights>(&layer.weights);
  const std::int64_t pieces = constant == nullptr ? 1 : constant->pieces;
  const auto folds = static_cast<double>(tiles * layer.walk.taps() * pieces) *
                     static_cast<double>(layer.batch.size());
  const auto chunks = static_cast<double>(Chunks(layer.walk, mapping.chunk_rows).size());
  const double rows = static_cast<double>(layer.walk.rows()) / chunks;
  ArrayWork work;
  work.passes = folds * chunks;
  work.cycles = work.passes * std::max(rows, static_cast<double>(config.array_rows));
  if (constant == nullptr) return work;
  work.tiles = folds;
  work.fetches = folds * (mapping.order == LoopOrder::kChunkOutermost ? chunks : 1);
  work.weight_bytes = work.fetches * static_cast<double>(config.tile_bytes());
  return work;
}

}  // namespace weft::compiler
