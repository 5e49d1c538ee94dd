#include "compiler/program/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft::compiler {
namespace {

void append(std::string& text, const std::string& separator, const std::string& more) {
  if (!text.empty()) text += separator;
  text += more;
}

}  // namespace

bool outlasts_round(const ImageGroups& groups, std::size_t layer) {
  return groups.round > 0 && groups.sizes[layer] > groups.round;
}

bool divide_each_other(const ImageGroups& groups) {
  std::vector<std::int64_t> sizes = groups.sizes;
  const auto larger =
      std::ranges::find_if(sizes, [&](std::int64_t size) { return size > groups.round; });
  if (groups.round > 0) sizes.insert(larger, groups.round);
  sizes.push_back(groups.images);
  return std::ranges::adjacent_find(sizes, [](std::int64_t size, std::int64_t next) {
           return next % size != 0;
         }) == sizes.end();
}

std::int64_t count_parts(const ImageGroups& groups) {
  std::int64_t parts = 0;
  for (const std::int64_t size : groups.sizes) parts += groups.images / size;
  return parts;
}

std::string to_text(const ImageGroups& groups, std::size_t layer) {
  if (groups.sizes.empty() || groups.sizes[layer] == groups.images) return "";
  const std::int64_t size = groups.sizes[layer];
  return size == 1 ? "image by image" : fmt::format("groups of {} images", size);
}

std::string to_text(const LineBands& bands, std::size_t layer) {
  if (bands.counts.empty() || bands.counts[layer] == 1) return "";
  return fmt::format("{} bands of lines, halos {}", bands.counts[layer],
                     bands.keeps_halo[layer] ? "kept" : "computed again");
}

std::string images_text(const Schedule& schedule, std::size_t layer) {
  std::string text = to_text(schedule.groups, layer);
  const std::string bands = to_text(schedule.bands, layer);
  if (!bands.empty()) append(text, ", ", bands);
  return text;
}

std::string_view to_string(InstructionOrder order) {
  switch (order) {
    case InstructionOrder::kByLayer:
      return "by layer";
    case InstructionOrder::kByStart:
      return "by start";
    case InstructionOrder::kByTile:
      break;
  }
  return "by tile";
}

std::string to_text(const BufferParts& parts) {
  return fmt::format(
      "{} rows of margin, {} for what stays, {} of staging{}", parts.margin,
      parts.staging - parts.margin, parts.staging_rows(),
      parts.tile_slots > 0 ? fmt::format(", slots for {} tiles of weights", parts.tile_slots) : "");
}

std::string stays_text(const Schedule& schedule, std::size_t layer) {
  std::string sheets;
  for (std::size_t i = 0; i < schedule.sheets.size(); ++i) {
    const auto& stay = schedule.sheets[i];
    if (!stay || stay->from_layer != layer) continue;
    append(sheets, ", ", fmt::format("sheet {} from row {}", i, stay->base));
  }
  std::string constants;
  for (const auto& base : schedule.layers[layer].constants) {
    append(constants, ", ", base ? fmt::format("from row {}", *base) : "staged");
  }
  std::string text;
  if (!sheets.empty()) append(text, "; ", sheets);
  if (!constants.empty()) append(text, "; ", "constants: " + constants);
  return text;
}

}  // namespace weft::compiler
