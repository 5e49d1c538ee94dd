#include "compiler/schedule/search/layers_alike.h"

#include <algorithm>
#include <tuple>

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

std::size_t most_other_forms(const Segment& segment) {
  std::size_t most = 0;
  for (const Layer& layer : segment.layers) most = std::max(most, layer.others.size());
  return most;
}

}  // namespace weft::compiler
