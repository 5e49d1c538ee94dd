#include "compiler/schedule/choose_groups.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "compiler/blocks/places.h"
#include "compiler/layers/first_images.h"
#include "compiler/layers/used_sheets.h"

namespace weft::compiler {
namespace {

/// 1, then by the prime factors of the batch, smallest first, up to the batch.
std::vector<std::int64_t> chain_of_sizes(std::int64_t images) {
  std::vector<std::int64_t> sizes = {1};
  for (std::int64_t factor = 2; sizes.back() < images;) {
    if (images / sizes.back() % factor == 0) {
      sizes.push_back(sizes.back() * factor);
    } else {
      ++factor;
    }
  }
  return sizes;
}

/// For each layer the UB rows of all sheets that are in use between other layers and this one.
std::vector<std::uint64_t> live_rows(const Segment& segment, const MachineConfig& config) {
  const Places places(config, segment.sheets, staging_only(config));
  std::vector<std::uint64_t> live(segment.layers.size(), 0);
  std::vector<bool> seen(segment.sheets.size(), false);
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    for_each_sheet(segment.layers[i].body, [&](std::size_t id) {
      const Sheet& sheet = segment.sheets[id];
      if (seen[id] || sheet.wide || sheet.from_host) return;
      seen[id] = true;
      for (std::size_t at = i; at <= sheet.last_use; ++at) live[at] += places.total_rows(id);
    });
  }
  return live;
}

/// Lowers sizes so that none is larger than a later one. From the first layer that cannot be
/// divided on, all take the whole batch.
ImageGroups ordered(std::vector<std::int64_t> sizes, const ImageDivision& division) {
  std::size_t end = 0;
  while (end < sizes.size() && division.divides(end)) ++end;
  std::fill(sizes.begin() + static_cast<std::ptrdiff_t>(end), sizes.end(), division.images());
  for (std::size_t i = sizes.size(); i-- > 1;) sizes[i - 1] = std::min(sizes[i - 1], sizes[i]);
  return {division.images(), std::move(sizes)};
}

bool cuts(const ImageGroups& groups) {
  return groups.sizes.front() < groups.images;
}

void add_new(std::vector<ImageGroups>& all, ImageGroups groups) {
  if (cuts(groups) && std::ranges::find(all, groups) == all.end()) all.push_back(std::move(groups));
}

}  // namespace

ImageGroups without_one_group(ImageGroups groups, const LineBands& bands) {
  if (!groups.sizes.empty() && cuts(groups)) return groups;
  ImageGroups none;
  none.cut_inputs = groups.cut_inputs && !bands.counts.empty();
  return none;
}

ImageGroups as_divided(ImageGroups groups, const ImageDivision& division) {
  if (groups.sizes.empty()) return groups;
  const ImageGroups divided = ordered(std::move(groups.sizes), division);
  if (!cuts(divided)) return {};
  groups.sizes = divided.sizes;
  if (groups.round == 0 || outlasts_round(groups, groups.sizes.size() - 1))
    groups.rounds_at_once = 1;
  if (groups.rounds_at_once == 1) groups.merged = 0;
  return groups;
}

std::int64_t batch_of(const Segment& segment) {
  const auto outermost = [](const Sheet& sheet) {
    if (sheet.patches) return sheet.patches->images;
    return sheet.view.dims.empty() ? 1 : sheet.view.dims.front().extent;
  };
  const auto is_input = [](const Sheet& sheet) { return sheet.from_host && !sheet.make; };
  const auto input = std::ranges::find_if(segment.sheets, is_input);
  if (input == segment.sheets.end()) return 1;
  std::int64_t images = outermost(*input);
  // A matrix [images * tokens, K] may lie between values [images, ...].
  for (const Sheet& sheet : segment.sheets) {
    const std::int64_t common = std::gcd(images, outermost(sheet));
    if (!sheet.from_host && common > 1) images = common;
  }
  return images;
}

std::vector<ImageGroups> fitting_groups(const Segment& segment, const ImageDivision& division,
                                        const MachineConfig& config) {
  const std::vector<std::int64_t> chain = chain_of_sizes(division.images());
  const std::vector<std::uint64_t> live = live_rows(segment, config);
  std::vector<ImageGroups> all;
  for (const std::uint64_t eighths : {7U, 5U, 3U, 2U}) {
    const std::uint64_t room = usable_rows(config) * eighths / 8;
    std::vector<std::int64_t> sizes;
    for (const std::uint64_t rows : live) {
      std::int64_t size = 1;
      for (const std::int64_t next : chain) {
        const auto part = static_cast<std::uint64_t>(division.images() / next);
        if (rows / part <= room) size = next;
      }
      sizes.push_back(size);
    }
    add_new(all, ordered(std::move(sizes), division));
  }
  return all;
}

std::vector<ImageGroups> neighbors_of(const ImageGroups& groups, const ImageDivision& division) {
  std::vector<ImageGroups> all;
  const auto add = [&](std::vector<std::int64_t> changed) {
    ImageGroups neighbor = ordered(std::move(changed), division);
    neighbor.cut_inputs = groups.cut_inputs;
    ImageGroups in_rounds = groups;
    in_rounds.sizes = neighbor.sizes;
    add_new(all, divide_each_other(in_rounds) ? std::move(in_rounds) : std::move(neighbor));
  };
  const std::vector<std::int64_t>& sizes = groups.sizes;
  for (std::size_t at = 1; at < sizes.size(); ++at) {
    if (sizes[at] == sizes[at - 1]) continue;
    for (const std::size_t by : {1U, 2U, 4U, 8U}) {
      std::vector<std::int64_t> later = sizes;
      std::fill_n(later.begin() + static_cast<std::ptrdiff_t>(at), std::min(by, sizes.size() - at),
                  sizes[at - 1]);
      add(std::move(later));
      std::vector<std::int64_t> earlier = sizes;
      const std::size_t first = at - std::min(by, at);
      for (std::size_t i = first; i < at; ++i) earlier[i] = std::max(earlier[i], sizes[at]);
      add(std::move(earlier));
    }
  }
  return all;
}

std::uint64_t rows_beside_rounds(const PartedSegment& formed, const ImageGroups& groups,
                                 const MachineConfig& config) {
  const Segment& segment = formed.segment;
  const Places places(config, segment.sheets, staging_only(config));
  std::uint64_t rows = 0;
  const auto takes_batch = [&](std::size_t at) {
    return groups.sizes[formed.layers[at].layer] == groups.images;
  };
  for (std::size_t i = 0; i < formed.layers.size() && !takes_batch(i); ++i) {
    const std::size_t id = result_view(segment.layers[i].body).sheet;
    if (formed.layers[i].is_last && takes_batch(segment.sheets[id].last_use)) {
      rows += places.total_rows(id);
    }
  }
  return rows;
}

std::optional<Segment> part_of_batch(const Segment& segment, const MappingOptions& options) {
  const std::int64_t images = batch_of(segment);
  if (images <= 1 || options.effort == SearchEffort::kNone) return std::nullopt;
  if (!options.image_groups.value_or(true)) return std::nullopt;
  std::int64_t factor = 2;
  while (images % factor != 0) ++factor;
  const ImageDivision division(in_forms(segment, {}), images);
  return first_images(segment, division, images / factor);
}

Segment least_part(Segment segment, const MappingOptions& options) {
  while (auto part = part_of_batch(segment, options)) segment = std::move(*part);
  return segment;
}

}  // namespace weft::compiler
