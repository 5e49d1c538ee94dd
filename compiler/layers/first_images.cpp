#include "compiler/layers/first_images.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/layers/used_sheets.h"

namespace weft::compiler {
namespace {

class FirstImages {
 public:
  FirstImages(const Segment& segment, const ImageDivision& division, std::int64_t count)
      : part_(segment),
        division_(division),
        count_(count),
        in_rows_(segment.sheets.size(), false),
        in_columns_(segment.sheets.size(), false) {}

  std::optional<Segment> cut() {
    const auto cut_form = [this](LayerForm& form) {
      return std::ranges::all_of(form.bodies, [this](LayerBody& body) { return cut(body); });
    };
    for (Layer& layer : part_.layers) {
      if (!cut(layer.body) || !std::ranges::all_of(layer.others, cut_form)) return std::nullopt;
    }
    for (std::size_t id = 0; id < part_.sheets.size(); ++id) {
      if (!cut_sheet(id)) return std::nullopt;
    }
    return std::move(part_);
  }

 private:
  /// Some form of a layer may have the images in its rows and another one in its columns, but not
  /// of the same sheet.
  bool cut(LayerBody& body) {
    bool columns = false;
    for_each_sheet(body, [&](std::size_t id) { columns = columns || in_columns_[id]; });
    const std::size_t out = result_view(body).sheet;
    if (auto part = columns ? std::nullopt : division_.first_of(body, count_)) {
      body = std::move(*part);
      in_rows_[out] = true;
      return true;
    }
    in_columns_[out] = std::visit([&](auto& layer) { return cut_columns(layer); }, body);
    return in_columns_[out] && !in_rows_[out];
  }

  bool shorten(std::int64_t& extent) const {
    if (extent % division_.images() != 0) return false;
    extent = extent / division_.images() * count_;
    return true;
  }

  /// The host gives what streams, and the array holds the images.
  bool cut_columns(ContractionLayer& layer) const {
    const auto* weights = std::get_if<ComputedWeights>(&layer.weights);
    if (weights == nullptr || layer.batch.size() != 1 || layer.groups != 1) return false;
    if (layer.epilogue.residual || !part_.sheets[layer.a.sheet].from_host) return false;
    return in_columns_[weights->view.sheet] != weights->transpose && shorten(layer.n);
  }
  bool cut_columns(ElementwiseLayer& layer) const {
    const auto has_columns = [&](const LaneStep& step) {
      const auto* view = std::get_if<View>(&step.b);
      return view == nullptr || in_columns_[view->sheet];
    };
    return in_columns_[layer.a.sheet] && std::ranges::all_of(layer.steps, has_columns) &&
           shorten(layer.channels);
  }
  template <class Layer>
  bool cut_columns(const Layer&) const {
    return false;
  }

  bool cut_sheet(std::size_t id) {
    const std::int64_t images = division_.images();
    Sheet& sheet = part_.sheets[id];
    const bool is_batch =
        !sheet.from_host || (sheet.patches && sheet.patches->images == images) ||
        (!sheet.make && !sheet.view.dims.empty() && sheet.view.dims.front().extent == images);
    if (!is_batch) return true;
    if (!shorten(in_columns_[id] ? sheet.size.channels : sheet.size.rows)) return false;
    if (sheet.patches) sheet.patches->images = count_;
    if (sheet.from_host && !sheet.patches) sheet.view.dims.front().extent = count_;
    return true;
  }

  Segment part_;
  const ImageDivision& division_;
  const std::int64_t count_;
  // Of each sheet that a layer so far has written.
  std::vector<bool> in_rows_;
  std::vector<bool> in_columns_;
};

}  // namespace

std::optional<Segment> first_images(const Segment& segment, const ImageDivision& division,
                                    std::int64_t count) {
  return FirstImages(segment, division, count).cut();
}

}  // namespace weft::compiler
