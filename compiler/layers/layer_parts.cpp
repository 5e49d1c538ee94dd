#include "compiler/layers/layer_parts.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "compiler/layers/chunks.h"
#include "compiler/layers/cut_rows.h"
#include "compiler/layers/touched_rows.h"
#include "compiler/layers/used_sheets.h"

namespace weft::compiler {
namespace {

/// Some images of a walk: where its rows begin in the operand, and in the result.
struct WalkPart {
  RowWalk walk;
  std::int64_t operand_row = 0;
  std::int64_t result_row = 0;
};

/// True if outputs are inputs, one by one.
bool is_plain(const graph::WindowDim& dim) {
  return dim.kernel == 1 && dim.stride == 1 && dim.pad_begin == 0 && dim.input == dim.output;
}

void shorten(graph::WindowDim& dim, std::int64_t extent) {
  dim.input = dim.output = extent;
}

/// Cuts the outermost loop of a walk. nullopt if it cannot be cut into `batch` equal parts.
std::optional<WalkPart> cut(const RowWalk& walk, std::int64_t batch, const ImageRange& images) {
  WalkPart part{walk};
  const auto cut_loop = [&](std::int64_t loop, std::int64_t step) {
    const std::int64_t each = loop / batch;
    part.operand_row = images.first * each * step;
    part.result_row = images.first * (walk.rows() / batch);
    return images.count * each;
  };
  const std::int64_t loop = walk.images / walk.z.output;
  if (loop % batch == 0) {
    part.walk.images = cut_loop(loop, walk.image_step) * walk.z.output;
    return part;
  }
  if (walk.images != 1 || !is_plain(walk.y)) return std::nullopt;
  if (walk.y.output % batch == 0) {
    shorten(part.walk.y, cut_loop(walk.y.output, walk.y_step));
    return part;
  }
  if (walk.y.output != 1 || !is_plain(walk.x) || walk.x.output % batch != 0) return std::nullopt;
  shorten(part.walk.x, cut_loop(walk.x.output, walk.x_step));
  return part;
}

/// Moves the second operand of a step to row `first` of the layer. False if the operand has no
/// such rows of its own.
bool move_rows(LaneStep& step, std::int64_t first) {
  const bool repeats = step.b_period != 0 && first % step.b_period == 0;
  if (auto* view = std::get_if<View>(&step.b)) {
    if (step.b_period != 0) return repeats;
    view->row += first * step.b_step;
    return true;
  }
  return !std::holds_alternative<MakeTensor>(step.b) || step.b_rows == 1 || repeats;
}

/// Cuts the rows of a layer. False if that is impossible.
template <class Layer>
bool cut_rows(Layer& layer, std::int64_t batch, const ImageRange& images) {
  const auto part = cut(layer.walk, batch, images);
  if (!part) return false;
  layer.walk = part->walk;
  layer.a.row += part->operand_row;
  layer.out.row += part->result_row;
  if constexpr (requires { layer.epilogue; }) {
    if (layer.epilogue.residual) layer.epilogue.residual->row += part->result_row;
  }
  if constexpr (requires { layer.steps; }) {
    for (LaneStep& step : layer.steps) {
      if (!move_rows(step, part->result_row)) return false;
    }
  }
  if constexpr (requires { layer.weights; }) {
    // Each image would have its own weights.
    if (std::holds_alternative<ComputedWeights>(layer.weights)) return false;
  }
  return true;
}

bool cut_rows(ConcatLayer& layer, std::int64_t batch, const ImageRange& images) {
  return std::ranges::all_of(layer.parts,
                             [&](ElementwiseLayer& part) { return cut_rows(part, batch, images); });
}

/// Half-open range of rows of a sheet.
struct SheetRows {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool contains(std::int64_t row) const { return first <= row && row < last; }
};

/// What is written to `rows`: some products of a contraction, or some parts of a concatenation.
/// nullopt for other layers, and if there is nothing.
std::optional<LayerBody> in_rows(const LayerBody& body, const SheetRows& rows) {
  if (const auto* layer = std::get_if<ContractionLayer>(&body)) {
    ContractionLayer some = *layer;
    std::erase_if(some.batch, [&](const BatchOffset& product) {
      return !rows.contains(layer->out.row + product.out_row);
    });
    some.batch.shrink_to_fit();  // else each part would take the memory of the whole batch
    return some.batch.empty() ? std::nullopt : std::optional<LayerBody>(std::move(some));
  }
  const auto* layer = std::get_if<ConcatLayer>(&body);
  if (layer == nullptr || std::ranges::any_of(layer->parts, has_constant)) return std::nullopt;
  // There may be a part for each image, so only those that stay are copied.
  ConcatLayer some{{}, layer->out};
  for (const ElementwiseLayer& part : layer->parts) {
    if (rows.contains(part.out.row)) some.parts.push_back(part);
  }
  return some.parts.empty() ? std::nullopt : std::optional<LayerBody>(std::move(some));
}

/// The layer in one form, without the others.
Layer of_body(const Layer& layer, const std::string& note, const LayerBody& body) {
  return {layer.name, layer.op, layer.value, layer.result, layer.macs, note, body};
}

}  // namespace

PartedSegment in_forms(const Segment& segment, const std::vector<std::size_t>& forms) {
  PartedSegment formed;
  formed.segment.sheets = segment.sheets;
  for (std::size_t i = 0; i < segment.sheets.size(); ++i) {
    formed.sheets.push_back({i, 0, segment.sheets[i].size.rows, i});
  }
  const auto add = [&](Layer layer, LayerPart part) {
    part.rows = {0, segment.sheets[result_view(layer.body).sheet].size.rows};
    for_each_sheet(layer.body, [&](std::size_t sheet) {
      formed.segment.sheets[sheet].last_use = formed.layers.size();
    });
    formed.layers.push_back(part);
    formed.segment.layers.push_back(std::move(layer));
  };
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const Layer& all = segment.layers[i];
    const std::size_t number = forms.empty() ? 0 : forms[i];
    if (number == 0) {
      add(of_body(all, all.note, all.body), {.layer = i});
      continue;
    }
    const LayerForm& form = all.others[number - 1];
    for (std::size_t body = 0; body < form.bodies.size(); ++body) {
      add(of_body(all, form.note, form.bodies[body]),
          {.layer = i, .body = body, .is_last = body + 1 == form.bodies.size()});
    }
  }
  return formed;
}

ImageDivision::ImageDivision(PartedSegment formed, std::int64_t images)
    : formed_(std::move(formed)), images_(images) {
  for (const Layer& layer : segment().layers) cuts_.push_back(cut_of(layer.body));
  own_ = find_own_rows();
}

bool ImageDivision::divides(std::size_t layer) const {
  for (std::size_t i = 0; i < formed_.layers.size(); ++i) {
    if (formed_.layers[i].layer == layer && cuts_[i] == Cut::kNone) return false;
  }
  return true;
}

ImageDivision::Cut ImageDivision::cut_of(const LayerBody& body) const {
  for (const Cut cut : {Cut::kRows, Cut::kPieces}) {
    if (apart(body, cut)) return cut;
  }
  return Cut::kNone;
}

/// True if the layer can be cut so, and if each image has its own rows of all sheets that layers
/// compute. Rows grow evenly with the image, so the first and the last image tell.
bool ImageDivision::apart(const LayerBody& body, Cut cut) const {
  for (const std::int64_t image : {std::int64_t{0}, images_ - 1}) {
    const auto part = part_of(body, cut, {image, 1});
    if (!part) return false;
    bool inside = true;
    const auto look = [&](std::size_t id, const Touch& touch) {
      inside = inside && (segment().sheets[id].from_host ||
                          is_of_image(id, touch.first, touch.second, image));
    };
    for_each_touch(*part, look);
    if (!inside) return false;
  }
  return true;
}

bool ImageDivision::is_of_image(std::size_t sheet, std::int64_t first, std::int64_t last,
                                std::int64_t image) const {
  const std::int64_t all = segment().sheets[sheet].size.rows;
  const std::int64_t rows = all / images_;
  return all % images_ == 0 && first >= image * rows && last < (image + 1) * rows;
}

/// For each sheet whether all layers that are cut find the rows of their image in its part of the
/// sheet. What the host gives need not be so: all images may share it.
std::vector<bool> ImageDivision::find_own_rows() const {
  std::vector<bool> own(segment().sheets.size(), true);
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    if (cuts_[i] == Cut::kNone) continue;
    for (const std::int64_t image : {std::int64_t{0}, images_ - 1}) {
      const LayerBody part = *part_of(segment().layers[i].body, cuts_[i], {image, 1});
      const auto look = [&](std::size_t sheet, const Touch& touch) {
        if (!is_of_image(sheet, touch.first, touch.second, image)) own[sheet] = false;
      };
      for_each_touch(part, look);
    }
  }
  return own;
}

std::optional<LayerBody> ImageDivision::part_of(const LayerBody& body, Cut cut,
                                                const ImageRange& images) const {
  if (cut == Cut::kNone) return std::nullopt;
  if (cut == Cut::kPieces) {
    const std::int64_t each = segment().sheets[result_view(body).sheet].size.rows / images_;
    return in_rows(body, {images.first * each, (images.first + images.count) * each});
  }
  LayerBody part = body;
  const bool possible =
      std::visit([&](auto& layer) { return cut_rows(layer, images_, images); }, part);
  return possible ? std::optional(std::move(part)) : std::nullopt;
}

/// For each sheet how many images a part of it holds: those of the largest group that uses it. Wide
/// rows have one part, and so has what all images share. What the host gives and is not to be cut
/// has a part for each round, so that rounds repeat each other. Of rounds under way at once, each
/// has its own copy of what all images share.
std::vector<std::int64_t> ImageDivision::units_of(const ImageGroups& groups) const {
  std::vector<std::int64_t> units;
  for (std::size_t id = 0; id < segment().sheets.size(); ++id) {
    const Sheet& sheet = segment().sheets[id];
    const bool is_uncut = sheet.from_host && !groups.cut_inputs;
    const bool is_wide = !sheet.from_host && sheet.wide;
    const std::int64_t uncut = groups.round > 0 ? groups.round : images_;
    const bool is_whole = is_wide || (!own_[id] && !is_copied(id, groups));
    units.push_back(is_whole ? images_ : is_uncut || !own_[id] ? uncut : 1);
  }
  for (std::size_t i = 0; i < formed_.layers.size(); ++i) {
    for_each_sheet(segment().layers[i].body, [&](std::size_t sheet) {
      units[sheet] = std::max(units[sheet], groups.sizes[formed_.layers[i].layer]);
    });
  }
  return units;
}

bool ImageDivision::is_copied(std::size_t sheet, const ImageGroups& groups) const {
  return !own_[sheet] && segment().sheets[sheet].from_host && groups.rounds_at_once > 1;
}

std::optional<LayerBody> ImageDivision::first_of(const LayerBody& body, std::int64_t count) const {
  return part_of(body, cut_of(body), {0, count});
}

PartedSegment ImageDivision::in_groups(const ImageGroups& groups) const {
  PartedSegment parts;
  const std::vector<std::int64_t> units = units_of(groups);
  std::vector<std::size_t> first_part;  // of each sheet
  for (std::size_t id = 0; id < segment().sheets.size(); ++id) {
    first_part.push_back(parts.sheets.size());
    Sheet part = segment().sheets[id];
    const bool copied = is_copied(id, groups);
    if (units[id] < images_ && !copied) part.size.rows = part.size.rows / images_ * units[id];
    for (std::int64_t image = 0; image < images_; image += units[id]) {
      const std::size_t tensor = is_of_host(part) ? first_part[id] : parts.sheets.size();
      const std::int64_t first_row = copied ? 0 : part.size.rows * (image / units[id]);
      parts.sheets.push_back({id, first_row, segment().sheets[id].size.rows, tensor});
      parts.segment.sheets.push_back(part);
    }
  }
  const auto add = [&](std::size_t index, const ImageRange& images) {
    const bool whole = images.count == images_;
    const Layer& all = segment().layers[index];
    LayerBody body = whole ? all.body : *part_of(all.body, cuts_[index], images);
    Layer layer{all.name, all.op, all.value, all.result, all.macs, all.note, std::move(body)};
    for_each_view(layer.body, [&](View& view) {
      view.sheet =
          first_part[view.sheet] + static_cast<std::size_t>(images.first / units[view.sheet]);
      view.row -= parts.sheets[view.sheet].first_row;
    });
    for_each_sheet(layer.body, [&](std::size_t sheet) {
      parts.segment.sheets[sheet].last_use = parts.layers.size();
    });
    LayerPart part = formed_.layers[index];
    part.images = images;
    part.cuts_rows = !whole && cuts_[index] == Cut::kRows;
    const std::int64_t each = part.rows.last / images_;
    if (!whole) part.rows = {images.first * each, (images.first + images.count) * each};
    parts.layers.push_back(part);
    parts.segment.layers.push_back(std::move(layer));
  };
  for (std::int64_t done = groups.sizes.front(); done <= images_; done += groups.sizes.front()) {
    for (std::size_t i = 0; i < formed_.layers.size(); ++i) {
      const std::int64_t size = groups.sizes[formed_.layers[i].layer];
      if (done % size != 0) break;
      add(i, {done - size, size});
    }
  }
  return parts;
}

}  // namespace weft::compiler
