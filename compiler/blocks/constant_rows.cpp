#include "compiler/blocks/constant_rows.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "compiler/blocks/lane_blocks.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

// The divisors of a pool stay in the unified buffer while it runs. This limits them to 1/8 of it.
constexpr std::uint64_t kDivisorShare = 8;

std::uint32_t narrow(std::int64_t count) {
  return static_cast<std::uint32_t>(count);
}

/// Collects the constants of one layer.
class ConstantCollector {
 public:
  explicit ConstantCollector(const MachineConfig& config) : config_(config) {}

  std::vector<ConstantRows> take() && { return std::move(constants_); }

  void add(const ContractionLayer& layer) {
    if (!layer.epilogue.bias_by_row) return add(layer.epilogue, layer.n);
    const std::int64_t rows = layer.walk.rows();
    constants_.push_back(
        {narrow(rows), config_.result_row_rows(), narrow(std::min(rows, kMostBiasRows))});
  }
  void add(const WindowLayer& layer) {
    add(layer.epilogue, layer.channels);
    if (!layer.line_counts.empty()) add_divisors(layer);
    if (layer.kind == WindowKind::kDepthwise) add_filters(layer);
  }
  void add(const ElementwiseLayer& layer) { add(layer.steps, layer.channels); }
  void add(const ConcatLayer& layer) {
    for (const ElementwiseLayer& part : layer.parts) add(part);
  }
  void add(const SoftmaxLayer& layer) { add(layer.steps, layer.channels); }
  void add(const NormalizationLayer& layer) {
    add_channels(1);  // the number of channels
    add_channels(1);  // that number times epsilon
    if (layer.scale) add_channels(layer.channels);
    if (layer.bias) add_channels(layer.channels);
  }
  void add(const ReductionLayer& layer) {
    if (layer.kind == ReductionKind::kMean) add_channels(1);
  }

 private:
  std::int64_t tiles(std::int64_t channels) const {
    return ceil_div(channels, std::int64_t{config_.array_cols});
  }

  /// A wide row for every C channels, read one at a time.
  void add_channels(std::int64_t channels) {
    constants_.push_back({narrow(tiles(channels)), config_.result_row_rows(), 1});
  }

  // Several biases begin in a new row each.
  void add(const Epilogue& epilogue, std::int64_t channels) {
    if (epilogue.bias) {
      const std::int64_t each = tiles(channels) * config_.array_cols;
      add_channels(epilogue.biases == 1 ? channels : epilogue.biases * each);
    }
    if (epilogue.scale) add_channels(channels);
  }

  // With several rows, a block holds all rows of a tile.
  void add(const std::vector<LaneStep>& steps, std::int64_t channels) {
    for (const LaneStep& step : steps) {
      if (step.bias) add_channels(channels);
      if (!std::holds_alternative<MakeTensor>(step.b)) continue;
      constants_.push_back(
          {narrow(tiles(channels)), narrow(step.b_rows) * config_.result_row_rows(), 1});
    }
  }

  void add_divisors(const WindowLayer& layer) {
    constants_.push_back(
        {narrow(static_cast<std::int64_t>(different_line_counts(layer).size())),
         narrow(static_cast<std::int64_t>(layer.column_counts.size())) * config_.result_row_rows(),
         1});
  }

  // Filters lie like a sheet: a block is a plane, with a narrow row for each tap.
  void add_filters(const WindowLayer& layer) {
    std::int64_t most = 0;
    for (const LaneTile& tile : lane_tiles(layer.channels, config_)) {
      const Planes planes = filter_planes(tile, config_);
      most = std::max(most, planes.last - planes.first);
    }
    constants_.push_back({narrow(ceil_div(layer.channels, std::int64_t{config_.array_rows})),
                          narrow(layer.walk.taps()), narrow(most)});
  }

  const MachineConfig& config_;
  std::vector<ConstantRows> constants_;
};

}  // namespace

std::vector<ConstantRows> constants_of(const LayerBody& layer, const MachineConfig& config) {
  ConstantCollector collector(config);
  std::visit([&](const auto& body) { collector.add(body); }, layer);
  return std::move(collector).take();
}

std::size_t constant_count(const std::vector<LaneStep>& steps) {
  std::size_t count = 0;
  for (const LaneStep& step : steps) {
    count += (step.bias ? 1U : 0U) + (std::holds_alternative<MakeTensor>(step.b) ? 1U : 0U);
  }
  return count;
}

std::vector<std::int64_t> different_line_counts(const WindowLayer& layer) {
  std::vector<std::int64_t> counts = layer.line_counts;
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

bool divisors_fit(const WindowLayer& layer, const MachineConfig& config) {
  const std::size_t lines = different_line_counts(layer).size();
  const std::uint64_t rows = lines * layer.column_counts.size() * config.result_row_rows();
  return rows <=
         std::uint64_t{config.unified_buffer_kib} * 1024 / config.row_bytes() / kDivisorShare;
}

std::uint64_t constant_need(std::int64_t rows, std::int64_t channels, const MachineConfig& config) {
  return static_cast<std::uint64_t>(rows * ceil_div(channels, std::int64_t{config.array_cols})) *
         config.result_row_rows();
}

std::uint64_t staging_need(std::span<const PlacedConstant> constants) {
  std::uint64_t rows = 0;
  for (const PlacedConstant& constant : constants) rows += constant.staging_need();
  return rows;
}

}  // namespace weft::compiler
