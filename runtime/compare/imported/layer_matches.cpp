#include "runtime/compare/imported/layer_matches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/figures.h"
#include "compiler/graph/operator_table.h"
#include "models/devices/contractions.h"

namespace weft::runtime {
namespace {

using measurements::ConvOperands;
using measurements::Measurement;

std::optional<ConvOperands> conv_of(const graph::Graph& graph, const graph::Node& node) {
  const graph::Product& product = graph::operator_of(node.op).product;
  const bool is_conv = product.form == graph::Product::Form::kConvolution ||
                       product.form == graph::Product::Form::kTransposedConvolution;
  if (!is_conv) return std::nullopt;
  return ConvOperands{graph.type(node.inputs.at(0)).shape,
                      graph.type(node.inputs.at(product.b)).shape};
}

/// The same for the same work.
std::string work_key(const std::optional<devices::GemmShape>& shape,
                     const std::optional<ConvOperands>& conv) {
  std::string key = shape ? measurements::shape_text(*shape) : std::string();
  if (conv) {
    key += fmt::format("|{}|{}", fmt::join(conv->input, ","), fmt::join(conv->weights, ","));
  }
  return key;
}

}  // namespace

LayerMatches::LayerMatches(const measurements::MeasurementFile& file,
                           std::vector<std::size_t> candidates, const graph::Graph& graph,
                           bool in_order)
    : file_(file), candidates_(std::move(candidates)) {
  for (const graph::Node& node : graph.nodes) {
    layers_.push_back({node.name, devices::contraction_of(graph, node), conv_of(graph, node)});
  }
  match_names();
  match_shapes();
  if (in_order) match_order();
}

void LayerMatches::use(std::size_t measurement) {
  used_.insert(measurement);
}

void LayerMatches::match_name(const Index& by_name, const std::string& name, Layer& layer) {
  const auto [first, last] = by_name.equal_range(name);
  for (auto at = first; at != last; ++at) {
    const Measurement& measured = file_.measurements[at->second];
    if (measured.shape && layer.shape && *measured.shape != *layer.shape) continue;
    layer.times.add(measured);
    layer.matched_by = "name";
    use(at->second);
  }
}

void LayerMatches::match_names() {
  Index by_name;
  for (const std::size_t i : candidates_) {
    const std::string& name = file_.measurements[i].name;
    if (!name.empty()) by_name.emplace(name, i);
  }
  std::size_t number = 0;  // of products, from 1 on
  for (Layer& layer : layers_) {
    match_name(by_name, layer.name, layer);
    if (layer.shape) match_name(by_name, fmt::format("[{}]", ++number), layer);
  }
}

/// The measurements of the layer's work that no name matched.
std::vector<std::size_t> LayerMatches::with_work_of(const Index& by_work,
                                                    const Layer& layer) const {
  std::vector<std::size_t> found;
  const auto look = [&](const std::string& key) {
    const auto [first, last] = by_work.equal_range(key);
    for (auto at = first; at != last; ++at) {
      const Measurement& measured = file_.measurements[at->second];
      const bool fits = !measured.shape || measured.shape == layer.shape;
      if (fits && !used_.contains(at->second)) found.push_back(at->second);
    }
  };
  if (layer.conv) look(work_key(std::nullopt, layer.conv));
  // A products' CSV gives the product of a convolution; a trace tells the two apart.
  const bool any_form = file_.format == measurements::FileFormat::kProductsCsv;
  if (!layer.conv || any_form) look(work_key(layer.shape, std::nullopt));
  std::ranges::sort(found);
  return found;
}

void LayerMatches::match_alike(const Index& by_work, const std::vector<Layer*>& alike) {
  const std::vector<std::size_t> found = with_work_of(by_work, *alike.front());
  RunTimes all;
  for (const std::size_t i : found) all.add(file_.measurements[i]);
  if (all.empty()) return;
  const bool in_turn = all.has_runs() && all.count() % alike.size() == 0;
  for (std::size_t i = 0; i < alike.size(); ++i) {
    alike[i]->times = in_turn ? all.part(i, alike.size()) : all;
    alike[i]->matched_by = "shape";
  }
  for (const std::size_t i : found) use(i);
}

void LayerMatches::match_shapes() {
  Index by_work;
  for (const std::size_t i : candidates_) {
    const Measurement& measured = file_.measurements[i];
    if (!measured.shape && !measured.conv) continue;
    by_work.emplace(work_key(measured.conv ? std::nullopt : measured.shape, measured.conv), i);
  }
  std::map<std::string, std::vector<Layer*>> alike;
  for (Layer& layer : layers_) {
    if (!layer.shape || layer.matched_by != nullptr) continue;
    const std::string work = work_key(layer.shape, layer.conv);
    alike[work].push_back(&layer);
  }
  for (const auto& [work, layers] : alike) match_alike(by_work, layers);
}

void LayerMatches::match_order() {
  RunTimes all;
  std::vector<std::size_t> kernels;
  for (const std::size_t i : candidates_) {
    const Measurement& measured = file_.measurements[i];
    if (!measured.is_product || measured.shape || measured.conv) continue;
    all.add(measured);
    kernels.push_back(i);
  }
  std::vector<Layer*> left;
  for (Layer& layer : layers_) {
    if (layer.shape && layer.matched_by == nullptr) left.push_back(&layer);
  }
  if (all.empty() || left.empty()) return;
  if (!all.has_runs()) {
    throw InputError(
        fmt::format("{}: --in-order: it has sums without an order; export a trace", file_.file));
  }
  if (all.count() % left.size() != 0) {
    throw InputError(fmt::format(
        "{}: --in-order: {} cannot be divided among the network's {}; profile whole runs alone",
        file_.file, counted(all.count(), "product kernel"), counted(left.size(), "product")));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i]->times = all.part(i, left.size());
    left[i]->matched_by = "order";
  }
  for (const std::size_t i : kernels) use(i);
}

double LayerMatches::flop() const {
  double flop = 0;
  for (const Layer& layer : layers_) {
    if (layer.matched_by != nullptr && layer.shape) flop += devices::useful_flop(*layer.shape);
  }
  return flop;
}

double LayerMatches::seconds() const {
  double seconds = 0;
  for (const Layer& layer : layers_) {
    if (layer.matched_by != nullptr) seconds += layer.times.seconds();
  }
  return seconds;
}

std::string LayerMatches::text(double all_flop) const {
  std::uint64_t products = 0;
  std::uint64_t matched = 0;
  std::uint64_t others = 0;
  std::uint64_t fewest = UINT64_MAX;
  std::uint64_t most = 0;
  for (const Layer& layer : layers_) {
    if (layer.shape) ++products;
    if (layer.matched_by == nullptr) continue;
    ++(layer.shape ? matched : others);
    fewest = std::min(fewest, layer.times.count());
    most = std::max(most, layer.times.count());
  }
  std::string text = fmt::format("{} of {}, with {} of the FLOP", grouped(matched),
                                 counted(products, "product"), percent(flop() / all_flop));
  if (others > 0) text += fmt::format(", and {}", counted(others, "other layer"));
  text +=
      fmt::format("; the sum of {} of {}", most > 1 ? "medians" : "times",
                  fewest == most ? counted(most, "run")
                                 : fmt::format("{} to {}", grouped(fewest), counted(most, "run")));
  return text;
}

nlohmann::ordered_json LayerMatches::json() const {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const Layer& layer : layers_) {
    if (layer.matched_by == nullptr) {
      if (layer.shape) missing.push_back(layer.name);
      continue;
    }
    nlohmann::ordered_json entry = {{"name", layer.name}, {"shape", nullptr}};
    if (layer.shape) entry["shape"] = measurements::shape_text(*layer.shape);
    entry["seconds"] = layer.times.seconds();
    entry["matched_by"] = layer.matched_by;
    entry.update(layer.times.json());
    layers.push_back(std::move(entry));
  }
  return {{"layers", std::move(layers)}, {"missing", std::move(missing)}};
}

}  // namespace weft::runtime
