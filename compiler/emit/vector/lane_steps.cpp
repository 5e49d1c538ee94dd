#include "compiler/emit/vector/lane_steps.h"

#include <utility>

#include "compiler/blocks/staging.h"
#include "compiler/emit/weights.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

/// Reorders [rows, channels] by tiles: all rows of the first C channels, then of the next C. Zeros
/// follow the last channel.
graph::Tensor by_tiles(const graph::Tensor& tensor, std::int64_t rows, std::int64_t channels,
                       std::int64_t cols) {
  const std::int64_t tiles = ceil_div(channels, cols);
  graph::Tensor result(graph::DataType::kFloat32, {tiles * rows * cols});
  const auto in = tensor.data<float>();
  const auto out = result.mutable_data<float>();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const std::int64_t at = (channel / cols * rows + row) * cols + channel % cols;
      out[static_cast<std::size_t>(at)] = in[static_cast<std::size_t>(row * channels + channel)];
    }
  }
  return result;
}

/// Loads a step's constant, with one block per tile.
LayerConstant load_constant(const LaneStep& step, std::int64_t channels, LoweringContext& context) {
  const MakeTensor& make = std::get<MakeTensor>(step.b);
  if (step.b_rows == 1) return load_floats(make, channels, context);
  const std::int64_t cols = context.config.array_cols;
  const std::int64_t words = ceil_div(channels, cols) * step.b_rows * cols;
  const std::uint64_t host = context.memory.add_wide_constant(
      words,
      [make, rows = step.b_rows, channels, cols, words] {
        return pack_words(by_tiles(make(), rows, channels, cols), words);
      },
      ElementType::kFloat32);
  return {context.memory, host, context.next_constant()};
}

}  // namespace

LayerConstant load_floats(const MakeTensor& make, std::int64_t channels, LoweringContext& context) {
  return load_channels(
      channels, [make, channels] { return pack_words(make(), channels); }, ElementType::kFloat32,
      context);
}

LaneSteps::LaneSteps(const std::vector<LaneStep>& steps, std::int64_t channels,
                     LoweringContext& context)
    : steps_(steps),
      context_(context),
      biases_(steps.size()),
      constants_(steps.size()),
      placements_(steps.size()),
      repeated_(steps.size()) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].bias) biases_[i] = load_floats(steps[i].bias, channels, context);
    if (!std::holds_alternative<MakeTensor>(steps[i].b)) continue;
    constants_[i] = load_constant(steps[i], channels, context);
  }
}

void LaneSteps::read(const Chunk& chunk, const ChannelRange& range) {
  chunk_ = chunk;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (const auto* view = std::get_if<View>(&steps_[i].b)) {
      placements_[i] = context_.memory.read(
          view->sheet, operand_block(steps_[i], chunk, range, context_.places()));
      if (steps_[i].b_lane) repeated_[i] = repeat_lane(i);
    }
    if (biases_[i]) biases_[i]->begin_use();
    if (constants_[i]) constants_[i]->begin_use();
  }
}

/// Makes wide rows of the chunk with the operand's only channel in every lane: a sum over that one
/// lane fills all lanes.
std::uint32_t LaneSteps::repeat_lane(std::size_t index) {
  const LaneStep& step = steps_[index];
  const View& view = std::get<View>(step.b);
  const std::int64_t width = context_.config.array_rows;
  const std::int64_t row = view.row + operand_row(step, chunk_) * step.b_step;
  VectorSource source;
  source.rows.base = static_cast<std::uint32_t>(placements_[index].at(view.channel / width, row));
  source.rows.loops[0] = {static_cast<std::uint32_t>(chunk_.rows()),
                          static_cast<std::int32_t>(step.b_step)};
  source.window = {static_cast<std::uint32_t>(view.channel % width), 0};
  const std::uint32_t base = context_.memory.staging().stage(wide_rows(chunk_, context_.config));
  Vector vector = to_wide(source, base, chunk_.rows(), {0, 1}, context_.config);
  vector.reduce = VectorReduce::kSum;
  emit(std::move(vector), context_);
  return base;
}

void LaneSteps::apply(std::size_t index, const LaneTile& tile, Vector& vector) {
  const LaneStep& step = steps_[index];
  vector.op = step.op;
  vector.low = step.low;
  vector.high = step.high;
  vector.combine = step.combine;
  if (biases_[index]) {
    vector.has_bias = true;
    vector.bias = biases_[index]->rows_of(block_of(tile));
  }
  if (step.combine == VectorCombine::kNone) return;
  if (step.b_lane) {
    vector.operand = wide_operand(repeated_[index], context_.config);
    return;
  }
  vector.operand =
      std::holds_alternative<View>(step.b) ? view_rows(index, tile) : constant_rows(index, tile);
}

/// The block of a constant that belongs to the tile.
std::uint32_t LaneSteps::block_of(const LaneTile& tile) const {
  return static_cast<std::uint32_t>(tile.first / context_.config.array_cols);
}

VectorOperand LaneSteps::constant_rows(std::size_t index, const LaneTile& tile) {
  const LaneStep& step = steps_[index];
  const std::int64_t first = step.b_rows == 1 ? 0 : operand_row(step, chunk_);
  const std::uint32_t words = context_.config.result_row_rows();
  VectorOperand operand;
  operand.row =
      constants_[index]->rows_of(block_of(tile)) + static_cast<std::uint32_t>(first) * words;
  operand.step = step.b_rows == 1 ? 0 : words;
  return operand;
}

VectorOperand LaneSteps::view_rows(std::size_t index, const LaneTile& tile) const {
  const LaneStep& step = steps_[index];
  const Placement& placement = placements_[index];
  const View& view = std::get<View>(step.b);
  const LaneBlock lanes =
      lane_block(context_, view.sheet, view.channel + tile.first, tile.width, placement.plane_step);
  const std::int64_t row = view.row + operand_row(step, chunk_) * step.b_step;
  VectorOperand operand;
  operand.row = static_cast<std::uint32_t>(placement.at(lanes.plane, row));
  operand.step = static_cast<std::uint32_t>(step.b_step);
  operand.format = RowFormat::kNarrow;
  operand.window = lanes.window;
  operand.quantization = step.b_quantization;
  return operand;
}

}  // namespace weft::compiler
