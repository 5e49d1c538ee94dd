#include "compiler/schedule/search/layers_alike.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "compiler/layers/layer_parts.h"
#include "compiler/schedule/choose_groups.h"

namespace weft::compiler {
namespace {

bool same_shape(const Layer& a, const Layer& b) {
  const auto shape = [](const Layer& layer) {
    return std::tie(layer.op, layer.result.shape, layer.macs);
  };
  return shape(a) == shape(b) && a.body.index() == b.body.index() &&
         a.others.size() == b.others.size();
}

}  // namespace

std::vector<std::size_t> layers_alike(const Segment& segment, std::size_t first) {
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    if (!same_shape(segment.layers[first], segment.layers[i])) continue;
    if (i < first) return {};
    alike.push_back(i);
  }
  return alike;
}

bool has_groups(const Layer& layer) {
  bool found = false;
  for_each_contraction(layer, [&](const ContractionLayer& each) { found |= each.groups > 1; });
  return found;
}

std::size_t most_other_forms(const Segment& segment) {
  std::size_t most = 0;
  for (const Layer& layer : segment.layers) most = std::max(most, layer.others.size());
  return most;
}

std::optional<ScheduleChoices> choices_like(ScheduleChoices choices, const Segment& segment) {
  if (choices.forms.size() != segment.layers.size()) return std::nullopt;
  for (std::size_t i = 0; i < choices.forms.size(); ++i) {
    const Layer& layer = segment.layers[i];
    if (choices.forms[i] > layer.others.size()) choices.forms[i] = 0;
    if (!choices.buffered_tiles.empty() && !has_constant_weights(layer)) {
      choices.buffered_tiles[i] = 0;
    }
  }
  const ImageDivision division(in_forms(segment, choices.forms), batch_of(segment));
  if (!choices.groups.sizes.empty() && choices.groups.images != division.images()) {
    return std::nullopt;
  }
  choices.groups = as_divided(std::move(choices.groups), division);
  choices.bands = {};  // they depend on the forms
  return choices;
}

}  // namespace weft::compiler
