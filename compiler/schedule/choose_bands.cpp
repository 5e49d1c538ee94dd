#include "compiler/schedule/choose_bands.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/blocks/places.h"
#include "compiler/layers/used_sheets.h"

namespace weft::compiler {
namespace {

/// For each layer of the segment the UB rows of all sheets between layers that are in use, in the
/// parts of the first images.
std::vector<std::uint64_t> live_rows(const PartedSegment& parts, std::size_t layers,
                                     const MachineConfig& config) {
  const Places places(config, parts.segment.sheets, staging_only(config));
  std::vector<std::uint64_t> live(layers, 0);
  std::vector<std::uint64_t> first(parts.sheets.size(), parts.layers.size());
  for (std::size_t i = parts.layers.size(); i-- > 0;) {
    for_each_sheet(parts.segment.layers[i].body, [&](std::size_t id) { first[id] = i; });
  }
  for (std::size_t id = 0; id < first.size(); ++id) {
    const Sheet& sheet = parts.segment.sheets[id];
    if (sheet.wide || sheet.from_host || first[id] == parts.layers.size()) continue;
    std::vector<bool> seen(layers, false);
    for (std::size_t i = first[id]; i <= sheet.last_use; ++i) {
      const LayerPart& part = parts.layers[i];
      if (part.images.first > 0 || seen[part.layer]) continue;
      seen[part.layer] = true;
      live[part.layer] += places.total_rows(id);
    }
  }
  return live;
}

/// Layers with as many bands.
using Stack = LayerRange;

std::vector<Stack> stacks_of(const LineBands& bands) {
  std::vector<Stack> stacks;
  for (std::size_t i = 0; i < bands.counts.size(); ++i) {
    if (bands.counts[i] == 1) continue;
    if (i > 0 && bands.counts[i - 1] == bands.counts[i]) {
      ++stacks.back().end;
    } else {
      stacks.push_back({i, i + 1});
    }
  }
  return stacks;
}

void add_new(std::vector<LineBands>& all, LineBands bands) {
  const bool cuts = std::ranges::any_of(bands.counts, [](std::int64_t count) { return count > 1; });
  for (std::size_t i = 0; i < bands.counts.size(); ++i) {
    if (bands.counts[i] == 1) bands.keeps_halo[i] = false;
  }
  if (cuts && std::ranges::find(all, bands) == all.end()) all.push_back(std::move(bands));
}

/// `count` bands for these layers; those that had none until now keep halos if `keeps`.
LineBands with_count(LineBands bands, const Stack& stack, std::int64_t count, bool keeps) {
  for (std::size_t i = stack.begin; i < stack.end; ++i) {
    if (bands.counts[i] == 1) bands.keeps_halo[i] = keeps;
    bands.counts[i] = count;
  }
  return bands;
}

/// Bands that differ from given ones, without those that the layers cannot take.
class OtherBands {
 public:
  OtherBands(const LineBands& bands, const PartedSegment& parts)
      : bands_(bands), most_(most_bands_of_layers(parts, bands.counts.size())) {}

  void add(LineBands other) {
    for (std::size_t i = 0; i < most_.size(); ++i) {
      if (other.counts[i] > most_[i]) return;
    }
    if (other != bands_) add_new(all_, std::move(other));
  }

  std::vector<LineBands> all() && { return std::move(all_); }

 private:
  const LineBands& bands_;
  const std::vector<std::int64_t> most_;  // bands, of each layer
  std::vector<LineBands> all_;
};

}  // namespace

PartedSegment without_bands(const Segment& segment, const ScheduleChoices& choices) {
  Schedule whole;
  whole.forms = choices.forms;
  whole.groups = choices.groups;
  return in_parts(segment, whole);
}

std::vector<std::int64_t> most_bands_of_layers(const PartedSegment& parts, std::size_t layers) {
  std::vector<std::int64_t> most(layers, std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    if (parts.layers[i].images.first > 0) continue;
    std::int64_t& layer = most[parts.layers[i].layer];
    layer = std::min(layer, most_bands(parts.segment.layers[i].body));
  }
  return most;
}

bool spills(const Segment& segment, const Schedule& schedule) {
  const PartedSegment parts = in_parts(segment, schedule);
  std::vector<std::optional<std::size_t>> written(parts.sheets.size());  // by which layer first
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    const LayerBody& body = parts.segment.layers[i].body;
    bool found = false;
    for_each_input_sheet(body, [&](std::size_t id) {
      const auto& stay = schedule.sheets[id];
      found = found || (written[id] && (!stay || stay->from_layer > *written[id]));
    });
    if (found) return true;
    auto& first = written[result_view(body).sheet];
    if (!first) first = i;
  }
  return false;
}

bool fits_buffer(const Segment& segment, const Schedule& schedule) {
  return schedule.bands.counts.empty() && !spills(segment, schedule);
}

std::uint64_t most_live_rows(const Segment& segment, const ScheduleChoices& choices,
                             const MachineConfig& config) {
  const auto live = live_rows(without_bands(segment, choices), segment.layers.size(), config);
  return live.empty() ? 0 : std::ranges::max(live);
}

std::vector<LineBands> fitting_bands(const PartedSegment& parts, std::size_t layers,
                                     const MachineConfig& config) {
  const std::vector<std::int64_t> most = most_bands_of_layers(parts, layers);
  const std::vector<std::uint64_t> live = live_rows(parts, layers, config);
  std::vector<LineBands> all;
  for (const std::uint64_t eighths : {7U, 4U, 2U}) {
    const std::uint64_t room = std::max<std::uint64_t>(usable_rows(config) * eighths / 8, 1);
    LineBands bands;
    for (std::size_t i = 0; i < layers;) {
      const auto needs = [&](std::size_t at) { return most[at] > 1 && live[at] > room; };
      std::size_t end = i;
      std::uint64_t rows = 0;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      while (end < layers && needs(end)) {
        rows = std::max(rows, live[end]);
        least = std::min(least, most[end++]);
      }
      std::int64_t count = 1;
      while (count < least && rows > room * static_cast<std::uint64_t>(count)) count *= 2;
      bands.counts.resize(std::max(end, i + 1), std::min(count, least));
      i = bands.counts.size();
    }
    for (const bool keeps : {true, false}) {
      bands.keeps_halo.assign(layers, keeps);
      add_new(all, bands);
    }
  }
  return all;
}

LineBands with_other_halos(LineBands bands, const LayerRange& layers) {
  if (bands.counts.empty()) return bands;
  const auto begin = bands.counts.begin() + static_cast<std::ptrdiff_t>(layers.begin);
  const auto first = std::find_if(begin, bands.counts.end(), [](auto count) { return count > 1; });
  const auto at = static_cast<std::size_t>(first - bands.counts.begin());
  if (at >= layers.end) return bands;
  const bool keeps = !bands.keeps_halo[at];
  for (std::size_t i = at; i < layers.end; ++i) bands.keeps_halo[i] = keeps && bands.counts[i] > 1;
  return bands;
}

std::vector<LineBands> neighbors_of(const LineBands& bands, const PartedSegment& parts) {
  const std::size_t layers = bands.counts.size();
  OtherBands others(bands, parts);
  const auto add = [&](const Stack& stack, std::int64_t count, bool keeps) {
    others.add(with_count(bands, stack, count, keeps));
  };
  const std::vector<Stack> stacks = stacks_of(bands);
  for (const Stack& stack : stacks) {
    const std::int64_t count = bands.counts[stack.begin];
    add(stack, 2 * count, false);
    add(stack, count / 2, false);
    for (const std::size_t by : {1U, 2U, 4U}) {
      add({stack.end, std::min(stack.end + by, layers)}, count, bands.keeps_halo[stack.end - 1]);
      add({stack.begin - std::min(by, stack.begin), stack.begin}, count,
          bands.keeps_halo[stack.begin]);
      add({stack.begin, std::min(stack.begin + by, stack.end)}, 1, false);
      add({std::max(stack.end, stack.begin + by) - by, stack.end}, 1, false);
    }
  }
  if (stacks.size() > 1) others.add(with_other_halos(bands, {0, layers}));
  for (const Stack& stack : stacks) others.add(with_other_halos(bands, stack));
  return std::move(others).all();
}

std::vector<LineBands> near_counts_of(const LineBands& bands, const PartedSegment& parts) {
  OtherBands others(bands, parts);
  for (const Stack& stack : stacks_of(bands)) {
    const std::int64_t count = bands.counts[stack.begin];
    for (const std::int64_t by : {std::max<std::int64_t>(count / 4, 1), std::int64_t{1}}) {
      for (const LineBands& halos : {bands, with_other_halos(bands, stack)}) {
        others.add(with_count(halos, stack, count + by, false));
        others.add(with_count(halos, stack, count - by, false));
      }
    }
  }
  return std::move(others).all();
}

}  // namespace weft::compiler
