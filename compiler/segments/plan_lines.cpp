// Values whose lines are joined in rows, and copies that join lines or take them apart.
#include <fmt/format.h>

#include <utility>

#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::ValueId;

std::optional<LayerOperand> Planner::joined_operand(ValueId value, std::size_t channel_axis) {
  const ImageLines lines = joined_lines(value);
  if (!lines.any()) return operand(value, channel_axis);
  const auto joined = segment_->joined.find(value);
  if (joined != segment_->joined.end()) return joined->second;
  const LayerOperand found = segment_->values.at(value);
  return found.lines == lines ? found : join(value, found);
}

ImageLines Planner::joined_lines(ValueId value) const {
  if (value == graph::kNoValue) return {};
  const auto joined = segment_->joined.find(value);
  if (joined != segment_->joined.end()) return joined->second.lines;
  const auto known = segment_->values.find(value);
  if (known == segment_->values.end()) return {};
  const LayerOperand& found = known->second;
  if (found.lines.any() || !lines_[value].any()) return found.lines;
  const Sheet& sheet = segment_->sheets[found.view.sheet];
  const bool is_image = found.view.dims.size() == 4 && !found.flattened && !sheet.wide &&
                        !sheet.from_host && is_channel_axis(found.view, 1) &&
                        is_row_axis(found.view, 0) && is_row_axis(found.view, 2) &&
                        is_row_axis(found.view, 3);
  // Copies make no borders and no slices.
  return is_image && lines_[value].is_dense(graph_.type(value).shape[2]) ? lines_[value]
                                                                         : ImageLines{};
}

ImageLines Planner::common_lines(ValueId a, ValueId b) const {
  const ImageLines lines = joined_lines(a);
  const bool alone = b == graph::kNoValue || graph_.is_constant(b);
  return alone || joined_lines(b) == lines ? lines : ImageLines{};
}

void Planner::add_image(ValueId value, const Shape& rows, const View& view, bool wide) {
  Sheet sheet;
  sheet.size = dense_sheet(rows, 1);
  sheet.value = value;
  sheet.wide = wide;
  sheet.view = view;
  segment_->sheets.push_back(std::move(sheet));
}

LayerOperand Planner::take_apart(ValueId value, const LayerOperand& joined) {
  const Shape& shape = graph_.type(value).shape;
  LayerOperand apart = joined;
  apart.lines = {};
  apart.view = dense_view(segment_->sheets.size(), shape, 1);
  add_image(value, shape, apart.view);
  ConcatLayer copies;
  copies.out = apart.view;
  ElementwiseLayer copy;
  copy.walk.x.input = copy.walk.x.output = shape[3];
  const ImageLines& lines = joined.lines;
  for (std::int64_t line = 0; line < shape[0] * shape[2]; ++line) {
    const std::int64_t at = line % shape[2] + lines.border;
    const std::int64_t row = line / shape[2] * lines.rows_of(shape[2]) + at / lines.joined;
    const std::int64_t slice = lines.slice == 0 ? shape[1] : lines.slice;
    for (std::int64_t channel = 0; channel < shape[1]; channel += slice) {
      copy.a = joined.view;
      copy.a.row += row * shape[3];
      copy.a.channel += lines.lane(shape[1], at % lines.joined, channel);
      copy.out = apart.view;
      copy.out.row += line * shape[3];
      copy.out.channel += channel;
      copy.channels = std::min(slice, shape[1] - channel);
      copies.parts.push_back(copy);
    }
  }
  add_movement("Copy", joined.dequantized ? graph::kNoValue : value, shape, std::move(copies),
               fmt::format("{} lines of a row taken apart", lines.joined));
  segment_->layers.back().result.type = graph_.type(value).type;
  moved_.emplace(value, joined);
  segment_->joined.insert_or_assign(value, joined);
  segment_->values.insert_or_assign(value, apart);
  return apart;
}

LayerOperand Planner::join(ValueId value, const LayerOperand& apart) {
  const Shape& shape = graph_.type(value).shape;
  const ImageLines lines = lines_[value];
  const Shape wide = joined_shape(shape, lines);
  LayerOperand joined = apart;
  joined.lines = lines;
  joined.view = dense_view(segment_->sheets.size(), wide, 1);
  ConcatLayer copies;
  copies.out = joined_view(segment_->sheets.size(), shape, lines.joined);
  add_image(value, wide, copies.out);
  ElementwiseLayer copy;
  copy.a = apart.view;
  copy.channels = shape[1];
  copy.walk.images = shape[0];
  copy.walk.image_step = apart.view.dims[0].row_step;
  copy.walk.y = {.input = shape[2], .output = wide[2], .stride = lines.joined};
  copy.walk.y_step = apart.view.dims[2].row_step;
  copy.walk.x.input = copy.walk.x.output = shape[3];
  copy.walk.x_step = apart.view.dims[3].row_step;
  copy.out = copies.out;
  for (std::int64_t line = 0; line < lines.joined; ++line) {
    copies.parts.push_back(copy);
    --copy.walk.y.pad_begin;
    copy.out.channel += shape[1];
  }
  add_movement("Copy", apart.dequantized ? graph::kNoValue : value, shape, std::move(copies),
               fmt::format("{} lines joined in a row", lines.joined));
  segment_->layers.back().result.type = graph_.type(value).type;
  moved_.emplace(value, apart);
  segment_->joined.insert_or_assign(value, joined);
  segment_->has_joined_lines = true;
  return joined;
}

View Planner::joined_result(ValueId value, const ImageLines& lines, bool wide) {
  const Shape& shape = graph_.type(value).shape;
  if (!lines.any()) return new_result(value, 1, wide);
  const Shape rows = joined_shape(shape, lines);
  const View seen = dense_view(segment_->sheets.size(), rows, 1);
  const bool is_dense = lines.is_dense(shape[2]);
  const View view = is_dense ? joined_view(seen.sheet, shape, lines.joined) : seen;
  add_image(is_dense ? value : graph::kNoValue, rows, view, wide);
  segment_->values[value] = {.view = seen, .lines = lines};
  segment_->has_joined_lines = true;
  segment_->has_line_borders |= lines.has_border(shape[2]);
  segment_->has_line_slices |= lines.slice > 0;
  return view;
}

void Planner::take_lines_apart(OpenSegment& segment, const std::vector<bool>& wanted) {
  segment_ = &segment;
  std::vector<ValueId> padded;
  for (const auto& [value, found] : segment.values) {
    if (wanted[value] && found.lines.any() && !found.lines.is_dense(graph_.type(value).shape[2])) {
      padded.push_back(value);
    }
  }
  for (const ValueId value : padded) take_apart(value, LayerOperand(segment.values.at(value)));
}

}  // namespace weft::compiler
