#include "compiler/blocks/map_folds.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/blocks/contraction_blocks.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

/// Calls function(first, last) for the parts of a range: what comes before the first multiple of
/// `unit`, the whole units together, and what comes after the last multiple.
template <class Function>
void for_whole_units(std::int64_t first, std::int64_t last, std::int64_t unit,
                     const Function& function) {
  const std::int64_t head = std::min(last, ceil_div(first, unit) * unit);
  const std::int64_t tail = std::max(head, last / unit * unit);
  if (first < head) function(first, head);
  if (head < tail) function(head, tail);
  if (tail < last) function(tail, last);
}

class FoldMapper {
 public:
  FoldMapper(const ContractionLayer& layer, const Places& places)
      : layer_(layer),
        blocks_(layer, places, {}),
        array_rows_(places.config().array_rows),
        patches_(places.sheet(layer.a.sheet).patches) {}

  FoldMap map() {
    map_.window = window();
    map_.form = form();
    map_.channels = channels();
    map_.filters = layer_.n;
    map_.groups = std::max(layer_.groups, layer_.packed_groups);
    map_.lines_in = layer_.lines.in;
    map_.lines_out = layer_.lines.out;
    map_.pieces = blocks_.pieces();
    map_.computed = std::holds_alternative<ComputedWeights>(layer_.weights);
    for (const BatchOffset& product : layer_.batch) add(product);
    return std::move(map_);
  }

 private:
  std::array<std::int64_t, 3> window() const {
    if (patches_) return {1, patches_->y.kernel, patches_->x.kernel};
    const RowWalk& walk = layer_.walk;
    return {walk.z.kernel, walk.y.kernel, walk.x.kernel * layer_.packed_taps};
  }

  FoldForm form() const {
    if (patches_) return FoldForm::kPackedPatches;
    if (layer_.packed_taps > 1) return FoldForm::kPackedLines;
    return map_.taps() > 1 ? FoldForm::kTapsApart : FoldForm::kProduct;
  }

  std::int64_t channels() const {
    return patches_ ? patches_->channels : layer_.k / layer_.packed_taps;
  }

  void add(const BatchOffset& product) {
    const std::int64_t front = blocks_.front(product);
    const auto same = std::ranges::find(map_.products, front, &ProductFolds::front);
    if (same != map_.products.end()) {
      ++same->products;
    } else if (map_.products.size() == kListedFronts) {
      ++map_.left_out;
    } else {
      map_.products.push_back(folds_of(product));
    }
  }

  ProductFolds folds_of(const BatchOffset& product) const {
    ProductFolds folds;
    folds.front = blocks_.front(product);
    folds.count = blocks_.folds(product);
    const std::int64_t listed = std::min(folds.count, kListedKTiles);
    for (std::int64_t i = 0; i < listed; ++i) {
      const bool is_first = i < kListedKTiles - kLastKTiles;
      folds.k_tiles.push_back(k_tile(product, is_first ? i : folds.count - listed + i));
    }
    return folds;
  }

  /// K tiles follow one another by piece of the weights, then tap, then plane.
  KTile k_tile(const BatchOffset& product, std::int64_t number) const {
    const std::int64_t planes = blocks_.planes(product);
    const std::int64_t taps = layer_.walk.taps();
    const std::int64_t begin = number % planes * array_rows_ - blocks_.front(product);
    const std::int64_t first = std::max<std::int64_t>(0, begin);
    const std::int64_t last = std::min(layer_.k, begin + array_rows_);
    KTile tile{number, number / planes / taps, {}};
    for (WeightRows& rows : weights(first, last, number / planes % taps)) {
      rows.row =
          (tile.rows.empty() ? first - begin : tile.rows.back().row + tile.rows.back().rows());
      tile.rows.push_back(rows);
    }
    return tile;
  }

  /// The elements [first, last) of K under tap `tap` of the walk.
  std::vector<WeightRows> weights(std::int64_t first, std::int64_t last, std::int64_t tap) const {
    switch (map_.form) {
      case FoldForm::kPackedPatches:
        return of_patches(first, last);
      case FoldForm::kPackedLines:
        return of_lines(first, last, tap);
      case FoldForm::kProduct:
      case FoldForm::kTapsApart:
        break;
    }
    return of_channels(first, last, tap);
  }

  /// Row i of a patch is tap i % taps of channel i / taps.
  std::vector<WeightRows> of_patches(std::int64_t first, std::int64_t last) const {
    const std::int64_t taps = map_.taps();
    std::vector<WeightRows> parts;
    for_whole_units(first, last, taps, [&](std::int64_t from, std::int64_t to) {
      WeightRows rows{.channel = from / taps, .filters = layer_.n};
      rows.channels = std::max<std::int64_t>(1, (to - from) / taps);
      rows.tap = from % taps;
      rows.taps = (to - from) / rows.channels;
      parts.push_back(rows);
    });
    return parts;
  }

  /// Lane i of the copies is channel i % channels under tap i / channels of the line.
  std::vector<WeightRows> of_lines(std::int64_t first, std::int64_t last, std::int64_t line) const {
    std::vector<WeightRows> parts;
    while (first < last) {
      const std::int64_t tap = first / map_.channels;
      const std::int64_t end = std::min(last, (tap + 1) * map_.channels);
      const std::int64_t before = tap * map_.channels;
      const std::vector<WeightRows> rows =
          of_channels(first - before, end - before, line * layer_.packed_taps + tap);
      parts.insert(parts.end(), rows.begin(), rows.end());
      first = end;
    }
    return parts;
  }

  /// Channels [first, last) under one tap. All channels of a group meet all its filters.
  std::vector<WeightRows> of_channels(std::int64_t first, std::int64_t last,
                                      std::int64_t tap) const {
    const std::int64_t channels = map_.channels / map_.groups;
    const std::int64_t filters = map_.filters / map_.groups;
    std::vector<WeightRows> parts;
    for_whole_units(first, last, channels, [&](std::int64_t from, std::int64_t to) {
      const std::int64_t groups = std::max<std::int64_t>(1, (to - from) / channels);
      parts.push_back({.channel = from,
                       .channels = to - from,
                       .tap = tap,
                       .filter = from / channels * filters,
                       .filters = groups * filters,
                       .blocks = groups});
    });
    return parts;
  }

  const ContractionLayer& layer_;
  const ContractionBlocks blocks_;
  const std::int64_t array_rows_;
  const std::optional<PatchWindows>& patches_;
  FoldMap map_;
};

}  // namespace

FoldMap map_folds(const ContractionLayer& layer, const Mapping& mapping, const Places& places) {
  FoldMap folds = FoldMapper(layer, places).map();
  folds.mapping = mapping;
  return folds;
}

FoldMap map_folds(std::uint64_t k, std::uint64_t n, const Mapping& mapping,
                  const MachineConfig& config) {
  ContractionLayer layer;
  layer.k = static_cast<std::int64_t>(k);
  layer.n = static_cast<std::int64_t>(n);
  const std::vector<Sheet> sheets(1);
  return map_folds(layer, mapping, Places(config, sheets, {}));
}

void add_products(FoldMap& all, const FoldMap& part) {
  for (const ProductFolds& folds : part.products) {
    const auto same = std::ranges::find(all.products, folds.front, &ProductFolds::front);
    if (same != all.products.end()) {
      same->products += folds.products;
    } else if (all.products.size() == kListedFronts) {
      all.left_out += folds.products;
    } else {
      all.products.push_back(folds);
    }
  }
  all.left_out += part.left_out;
}

}  // namespace weft::compiler
