#include "compiler/network/lane_steps.h"

#include "compiler/network/weights.h"

namespace weft::network {
namespace {

std::int64_t tile_count(std::int64_t channels, const MachineConfig& config) {
  return (channels + config.array_cols - 1) / config.array_cols;
}

/// [rows, channels] with the rows of each C channels one after the other, zeros behind the last
/// channel.
graph::Tensor by_tiles(const graph::Tensor& tensor, std::int64_t rows, std::int64_t channels,
                       std::int64_t cols) {
  const std::int64_t tiles = (channels + cols - 1) / cols;
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

std::uint32_t load_constant(const LaneStep& step, std::int64_t channels, LoweringContext& context) {
  const MakeTensor& make = std::get<MakeTensor>(step.b);
  if (step.b_rows == 1) return load_channels(make, channels, context);
  const std::int64_t cols = context.config.array_cols;
  const std::int64_t words = tile_count(channels, context.config) * step.b_rows * cols;
  return context.memory.load_wide_constant(
      words,
      [make, rows = step.b_rows, channels, cols, words] {
        return pack_words(by_tiles(make(), rows, channels, cols), words);
      },
      ElementType::kFloat32);
}

}  // namespace

std::uint64_t constant_need(std::int64_t rows, std::int64_t channels, const MachineConfig& config) {
  return static_cast<std::uint64_t>(rows * tile_count(channels, config)) * config.result_row_rows();
}

std::uint32_t load_channels(const MakeTensor& make, std::int64_t channels,
                            LoweringContext& context) {
  return context.memory.load_wide_constant(
      channels, [make, channels] { return pack_words(make(), channels); }, ElementType::kFloat32);
}

LaneSteps::LaneSteps(const std::vector<LaneStep>& steps, std::int64_t channels,
                     LoweringContext& context)
    : steps_(steps), channels_(channels), context_(context), placements_(steps.size()) {
  for (const LaneStep& step : steps) {
    const bool loads = std::holds_alternative<MakeTensor>(step.b);
    constants_.push_back(loads ? load_constant(step, channels, context) : 0);
  }
}

std::int64_t LaneSteps::first_row(const LaneStep& step, const Chunk& chunk) const {
  return step.b_period == 0 ? chunk.first_row : chunk.first_row % step.b_period;
}

Block LaneSteps::block(const LaneStep& step, const Chunk& chunk) const {
  const View& view = std::get<View>(step.b);
  const std::int64_t width = context_.config.array_rows;
  const std::int64_t first = view.row + first_row(step, chunk) * step.b_step;
  return {view.channel / width, (view.channel + channels_ + width - 1) / width, first,
          first + (chunk.rows() - 1) * step.b_step + 1};
}

std::uint64_t LaneSteps::staged(const Chunk& chunk) const {
  std::uint64_t rows = 0;
  for (const LaneStep& step : steps_) {
    const auto* view = std::get_if<View>(&step.b);
    if (view != nullptr) rows += context_.memory.staging_need(view->sheet, block(step, chunk));
  }
  return rows;
}

void LaneSteps::read(const Chunk& chunk) {
  chunk_ = chunk;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto* view = std::get_if<View>(&steps_[i].b);
    if (view == nullptr) continue;
    placements_[i] = context_.memory.read(view->sheet, block(steps_[i], chunk));
  }
}

void LaneSteps::apply(std::size_t index, const LaneTile& tile, Vector& vector) const {
  const LaneStep& step = steps_[index];
  vector.op = step.op;
  vector.low = step.low;
  vector.high = step.high;
  vector.combine = step.combine;
  if (step.combine == VectorCombine::kNone) return;
  vector.operand =
      std::holds_alternative<View>(step.b) ? view_rows(index, tile) : constant_rows(index, tile);
}

VectorOperand LaneSteps::constant_rows(std::size_t index, const LaneTile& tile) const {
  const LaneStep& step = steps_[index];
  const std::int64_t first = step.b_rows == 1 ? 0 : first_row(step, chunk_);
  const std::int64_t row = tile.first / context_.config.array_cols * step.b_rows + first;
  const std::uint32_t words = context_.config.result_row_rows();
  VectorOperand operand;
  operand.row = constants_[index] + static_cast<std::uint32_t>(row) * words;
  operand.step = step.b_rows == 1 ? 0 : words;
  return operand;
}

VectorOperand LaneSteps::view_rows(std::size_t index, const LaneTile& tile) const {
  const LaneStep& step = steps_[index];
  const Placement& placement = placements_[index];
  const View& view = std::get<View>(step.b);
  const LaneBlock lanes =
      lane_block(context_, view.sheet, view.channel + tile.first, tile.width, placement.plane_step);
  const std::int64_t row = view.row + first_row(step, chunk_) * step.b_step;
  VectorOperand operand;
  operand.row = static_cast<std::uint32_t>(placement.at(lanes.plane, row));
  operand.step = static_cast<std::uint32_t>(step.b_step);
  operand.format = RowFormat::kNarrow;
  operand.window = lanes.window;
  operand.quantization = step.b_quantization;
  return operand;
}

}  // namespace weft::network
