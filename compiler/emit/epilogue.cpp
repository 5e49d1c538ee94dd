#include "compiler/emit/epilogue.h"

#include <utility>

#include "compiler/emit/weights.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {

LaneBlock lane_block(const LoweringContext& context, std::size_t sheet, std::int64_t channel,
                     std::int64_t width, std::int64_t plane_step) {
  const std::int64_t array_rows = context.config.array_rows;
  const std::int64_t cols = context.config.array_cols;
  LaneBlock block;
  block.plane = channel / array_rows;
  const std::int64_t column = channel % array_rows;
  block.window = {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(plane_step)};
  if (width >= cols) return block;
  block.lanes = static_cast<std::uint32_t>(width);
  const bool last = channel + width == context.memory.sheet(sheet).size.channels;
  const bool same_plane = (column + cols - 1) / array_rows == (column + width - 1) / array_rows;
  block.fill = last && same_plane;
  return block;
}

LayerConstant load_channels(std::int64_t channels, std::function<Matrix()> make, ElementType type,
                            LoweringContext& context) {
  const std::uint64_t host = context.memory.add_wide_constant(channels, std::move(make), type);
  return {context.memory, host, context.next_constant()};
}

EpilogueRows::EpilogueRows(const Epilogue& epilogue, std::int64_t channels,
                           LoweringContext& context, std::int64_t rows)
    : epilogue_(epilogue), context_(context), channels_(channels) {
  if (epilogue.bias_by_row) {
    bias_ = load_by_row(epilogue.bias, rows);
    return;
  }
  const ElementType bias_type =
      epilogue.bias_is_float ? ElementType::kFloat32 : accumulator_type(context.config.dtype);
  if (epilogue.bias) bias_ = load(epilogue.bias, epilogue.biases, bias_type);
  if (epilogue.scale) scale_ = load(epilogue.scale, 1, ElementType::kFloat32);
}

/// Each set begins in a new row.
LayerConstant EpilogueRows::load(const MakeTensor& make, std::int64_t sets, ElementType type) {
  const std::int64_t channels = channels_;
  const std::int64_t step = sets == 1 ? channels : padded_channels();
  return load_channels(
      sets * step, [=] { return pack_words(make(), sets, channels, step); }, type, context_);
}

/// A wide row for each row of the result, with its bias in all lanes.
LayerConstant EpilogueRows::load_by_row(const MakeTensor& make, std::int64_t rows) {
  const std::int64_t cols = context_.config.array_cols;
  return load_channels(
      rows * cols, [=] { return pack_repeated(make(), rows, cols); }, ElementType::kFloat32,
      context_);
}

std::int64_t EpilogueRows::padded_channels() const {
  const std::int64_t cols = context_.config.array_cols;
  return ceil_div(channels_, cols) * cols;
}

std::uint32_t EpilogueRows::constant_row(LayerConstant& constant, std::int64_t first) const {
  return constant.rows_of(static_cast<std::uint32_t>(first / context_.config.array_cols));
}

void EpilogueRows::begin_use() {
  if (bias_) bias_->begin_use();
  if (scale_) scale_->begin_use();
}

Vector EpilogueRows::result_rows(const Target& target) const {
  Vector vector;
  vector.rows = static_cast<std::uint32_t>(target.rows);
  if (context_.memory.sheet(target.sheet).wide) {
    vector.ub = static_cast<std::uint32_t>(
        target.out.at(target.channel / context_.config.array_cols, target.row));
    // Beyond the last column the residual's row holds other channels: leave those lanes out.
    if (target.width < context_.config.array_cols) {
      vector.lanes = static_cast<std::uint32_t>(target.width);
    }
    return vector;
  }
  const LaneBlock block =
      lane_block(context_, target.sheet, target.channel, target.width, target.out.plane_step);
  vector.format = RowFormat::kNarrow;
  vector.ub = static_cast<std::uint32_t>(target.out.at(block.plane, target.row));
  vector.window = block.window;
  vector.lanes = block.lanes;
  vector.fill = block.fill;
  return vector;
}

Vector EpilogueRows::instruction(const Target& target) {
  Vector vector = result_rows(target);
  vector.op = epilogue_.op;
  vector.low = epilogue_.low;
  vector.high = epilogue_.high;
  vector.domain = epilogue_.domain;
  vector.quantization = epilogue_.quantization;
  if (epilogue_.bias_by_row) {
    vector.combine = VectorCombine::kAdd;
    vector.operand = VectorOperand{
        .row = bias_->rows_of(static_cast<std::uint32_t>(target.bias_row), vector.rows),
        .step = context_.config.result_row_rows()};
  } else if (bias_) {
    vector.has_bias = true;
    const std::int64_t before = epilogue_.biases == 1 ? 0 : target.matrix * padded_channels();
    vector.bias = constant_row(*bias_, before + target.first);
  }
  if (scale_) {
    vector.combine = epilogue_.divides ? VectorCombine::kDiv : VectorCombine::kMul;
    vector.operand = VectorOperand{.row = constant_row(*scale_, target.first)};
  }
  if (target.residual) {
    const View& view = *epilogue_.residual;
    const LaneBlock block = lane_block(context_, view.sheet, view.channel + target.first,
                                       target.width, target.residual->plane_step);
    vector.combine = VectorCombine::kAdd;
    vector.operand = VectorOperand{
        .row = static_cast<std::uint32_t>(target.residual->at(block.plane, target.residual_row)),
        .step = 1,
        .format = RowFormat::kNarrow,
        .window = block.window};
  }
  return vector;
}

void emit(Vector vector, LoweringContext& context) {
  context.info.vector_rows += vector.rows;
  context.stream.emit(std::move(vector));
}

}  // namespace weft::compiler
