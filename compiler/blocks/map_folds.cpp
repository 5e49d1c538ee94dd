#include "compiler/blocks/map_folds.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
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
    const LineJoin& join = layer_.join;
    map_.walked = walked();
    map_.window = map_.walked;
    if (join.lines.any()) map_.window[1] = join.kernel;
    map_.form = form();
    map_.in = join.lines.in;
    map_.out = join.lines.out;
    map_.channels = map_.joined() ? join.channels : lanes();
    map_.filters = map_.joined() ? join.filters : layer_.n;
    map_.groups = std::max({layer_.groups, layer_.packed_groups, join.groups});
    map_.k_rows = k_rows();
    map_.pieces = blocks_.pieces();
    map_.computed = std::holds_alternative<ComputedWeights>(layer_.weights);
    for (const BatchOffset& product : layer_.batch) add(product);
    return std::move(map_);
  }

 private:
  std::array<std::int64_t, 3> walked() const {
    if (patches_) return {1, patches_->y.kernel, patches_->x.kernel};
    const RowWalk& walk = layer_.walk;
    return {walk.z.kernel, walk.y.kernel, walk.x.kernel * layer_.packed_taps};
  }

  FoldForm form() const {
    if (patches_) return FoldForm::kPackedPatches;
    if (layer_.packed_taps > 1) return FoldForm::kPackedLines;
    return map_.taps() > 1 || map_.walked[1] > 1 ? FoldForm::kTapsApart : FoldForm::kProduct;
  }

  /// Channels of the image, of all joined lines together.
  std::int64_t lanes() const {
    return patches_ ? patches_->channels : layer_.k / layer_.packed_taps;
  }

  /// A line of joined lines has rows with weights only where a line of the filters meets it.
  std::int64_t k_rows() const {
    if (!map_.joined()) return map_.taps() * map_.channels;
    std::set<std::pair<std::int64_t, std::int64_t>> met;
    for (const JoinedTap& each : layer_.join.taps) met.emplace(each.place, each.in);
    return static_cast<std::int64_t>(met.size()) * map_.window[2] * map_.channels;
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
      rows.row -= begin;
      tile.rows.push_back(rows);
    }
    return tile;
  }

  /// The elements [first, last) of K under tap `tap` of the walk. `row` counts the elements of K.
  std::vector<WeightRows> weights(std::int64_t first, std::int64_t last, std::int64_t tap) const {
    switch (map_.form) {
      case FoldForm::kPackedPatches:
        return map_.joined() ? of_joined_patches(first, last) : of_patches(first, last);
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
      WeightRows rows{.row = from, .channel = from / taps, .filters = layer_.n};
      rows.channels = std::max<std::int64_t>(1, (to - from) / taps);
      rows.tap = from % taps;
      rows.taps = (to - from) / rows.channels;
      parts.push_back(rows);
    });
    return parts;
  }

  /// The windows of several lines of the result lie in one patch, each with a band of its taps.
  std::vector<WeightRows> of_joined_patches(std::int64_t first, std::int64_t last) const {
    const std::int64_t columns = map_.walked[2];
    const std::int64_t patch = map_.walked[1] * columns;
    const std::int64_t filters = map_.filters / map_.groups;
    std::vector<WeightRows> whole;
    for (std::int64_t channel = first / patch; channel * patch < last; ++channel) {
      for (const JoinedTap& each : layer_.join.taps) {
        const std::int64_t line = channel * patch + each.place * columns;
        const std::int64_t from = std::max(first, line);
        const std::int64_t to = std::min(last, line + columns);
        if (from >= to) continue;
        const WeightRows rows{
            .row = from,
            .channel = channel,
            .tap = each.tap * columns + from - line,
            .taps = to - from,
            .filter = channel / (map_.channels / map_.groups) * filters,
            .filters = filters,
            .line_out = each.out,
        };
        if (!whole.empty() && follows(rows, whole.back())) {
          whole.back().taps += rows.taps;
        } else {
          whole.push_back(rows);
        }
      }
    }
    std::vector<WeightRows> parts;
    for (const WeightRows& rows : whole) add_in_slices(rows, parts);
    return parts;
  }

  /// Whether the rows go on with the taps of the same channel and line of the result.
  static bool follows(const WeightRows& rows, const WeightRows& before) {
    return rows.channel == before.channel && rows.line_out == before.line_out &&
           rows.row == before.row + before.taps && rows.tap == before.tap + before.taps;
  }

  /// Lane i of the copies is lane i % lanes of the image under tap i / lanes of the line.
  std::vector<WeightRows> of_lines(std::int64_t first, std::int64_t last, std::int64_t line) const {
    std::vector<WeightRows> parts;
    while (first < last) {
      const std::int64_t tap = first / lanes();
      const std::int64_t end = std::min(last, (tap + 1) * lanes());
      const std::int64_t before = tap * lanes();
      for (WeightRows rows :
           of_channels(first - before, end - before, line * layer_.packed_taps + tap)) {
        rows.row += before;
        parts.push_back(rows);
      }
      first = end;
    }
    return parts;
  }

  /// Channels [first, last) of all joined lines under one tap of the walk.
  std::vector<WeightRows> of_channels(std::int64_t first, std::int64_t last,
                                      std::int64_t tap) const {
    if (!map_.joined()) return of_line(first, last, tap);
    std::vector<WeightRows> parts;
    const std::int64_t slice = map_.in.slice == 0 ? map_.channels : map_.in.slice;
    for (const JoinedTap& each : layer_.join.taps) {
      if (each.place != tap / map_.walked[2]) continue;
      const std::int64_t single = each.tap * map_.walked[2] + tap % map_.walked[2];
      for (std::int64_t channel = 0; channel < map_.channels; channel += slice) {
        const std::int64_t before = map_.in.lane(map_.channels, each.in, channel) - channel;
        const std::int64_t end = std::min(channel + slice, map_.channels);
        const std::int64_t from = std::max(first - before, channel);
        const std::int64_t to = std::min(last - before, end);
        if (from >= to) continue;
        for (WeightRows rows : of_line(from, to, single)) {
          rows.row += before;
          rows.line_in = each.in;
          rows.line_out = each.out;
          add_in_slices(rows, parts);
        }
      }
    }
    return parts;
  }

  /// Adds the rows once for each slice of the result that their filters lie in.
  void add_in_slices(const WeightRows& rows, std::vector<WeightRows>& parts) const {
    const std::int64_t slice = map_.out.slice;
    const std::int64_t last = rows.filter + rows.filters;
    if (slice == 0 || (last - 1) / slice == rows.filter / slice) {
      parts.push_back(rows);
      parts.back().column = map_.out.lane(map_.filters, rows.line_out, rows.filter);
      return;
    }
    for (std::int64_t block = 0; block < rows.blocks; ++block) {
      WeightRows part = rows;
      part.blocks = 1;
      part.channels = rows.channels / rows.blocks;
      part.channel += block * part.channels;
      part.row += block * part.rows();
      const std::int64_t filters = rows.filters / rows.blocks;
      const std::int64_t end = rows.filter + (block + 1) * filters;
      for (part.filter = rows.filter + block * filters; part.filter < end;
           part.filter += part.filters) {
        part.filters = std::min(end, (part.filter / slice + 1) * slice) - part.filter;
        part.column = map_.out.lane(map_.filters, part.line_out, part.filter);
        parts.push_back(part);
      }
    }
  }

  /// Channels [first, last) of a line under one tap. All channels of a group meet all its filters.
  std::vector<WeightRows> of_line(std::int64_t first, std::int64_t last, std::int64_t tap) const {
    const std::int64_t channels = map_.channels / map_.groups;
    const std::int64_t filters = map_.filters / map_.groups;
    std::vector<WeightRows> parts;
    for_whole_units(first, last, channels, [&](std::int64_t from, std::int64_t to) {
      const std::int64_t groups = std::max<std::int64_t>(1, (to - from) / channels);
      parts.push_back({.row = from,
                       .channel = from,
                       .channels = to - from,
                       .tap = tap,
                       .filter = from / channels * filters,
                       .filters = groups * filters,
                       .column = from / channels * filters,
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
