#include "compiler/schedule/search/capacity_ladder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <variant>

#include "compiler/blocks/places.h"
#include "compiler/rows/ceil_div.h"
#include "compiler/schedule/divide_buffer.h"

namespace weft::compiler {
namespace {

/// Powers of two from `first` on, itself one, and below `end`.
template <class Value>
std::vector<Value> powers(Value first, Value end) {
  std::vector<Value> all;
  for (Value value = first; value < end; value *= 2) all.push_back(value);
  return all;
}

/// The most rows that a form of the layer streams through the array; 0 if none does.
std::int64_t streamed_rows(const Layer& layer) {
  std::int64_t rows = 0;
  for_each_contraction(layer, [&](const ContractionLayer& contraction) {
    rows = std::max(rows, contraction.walk.rows());
  });
  return rows;
}

/// Slots for all tiles of a layer's constant weights; of the form that has most.
std::uint64_t most_tiles(const Layer& layer, const MachineConfig& config) {
  std::int64_t most = 0;
  for_each_contraction(layer, [&](const ContractionLayer& contraction) {
    if (!std::holds_alternative<ConstantWeights>(contraction.weights)) return;
    const std::int64_t folds =
        contraction.walk.taps() * ceil_div(contraction.k, std::int64_t{config.array_rows});
    const std::int64_t columns = ceil_div(contraction.n, std::int64_t{config.array_cols});
    most = std::max(most, folds * columns * static_cast<std::int64_t>(contraction.batch.size()));
  });
  return static_cast<std::uint64_t>(most);
}

/// Rows of the unified buffer for all sheets of the segment at once, and for its tiles.
std::uint64_t rows_of_all(const Segment& segment, const MachineConfig& config) {
  const Places places(config, segment.sheets, {});
  std::uint64_t rows = 0;
  for (std::size_t id = 0; id < segment.sheets.size(); ++id) rows += places.total_rows(id);
  for (const Layer& layer : segment.layers) {
    rows += most_tiles(layer, config) * tile_slot_rows(config);
  }
  return rows;
}

/// The size of a unified buffer, in KiB and a power of two, that is twice what the segment needs.
std::uint64_t enough_kib(const Segment& segment, const MachineConfig& config) {
  // Twice everything: half of it may be staging.
  return std::bit_ceil(2 * rows_of_all(segment, config) * config.row_bytes() / 1024 + 1);
}

}  // namespace

std::vector<std::uint64_t> staging_ladder(const MachineConfig& config) {
  return powers<std::uint64_t>(256, usable_rows(config) / 2 + 1);
}

CapacityLadders capacity_ladders(const Segment& segment, const MachineConfig& config) {
  const auto down = [](std::uint32_t own, std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> values = {own};
    const std::uint64_t below = std::min<std::uint64_t>(last, own - 1);
    if (below == 0) return values;
    for (std::uint64_t value = std::bit_floor(below); value >= first && value > 0; value /= 2) {
      values.push_back(static_cast<std::uint32_t>(value));
    }
    return values;
  };
  std::int64_t rows = 1;
  for (const Layer& layer : segment.layers) rows = std::max(rows, streamed_rows(layer));
  return {down(config.unified_buffer_kib, 1, enough_kib(segment, config)),
          down(config.accumulator_rows, std::bit_ceil(config.array_rows),
               std::bit_ceil(static_cast<std::uint64_t>(2 * rows))),
          down(config.weight_fifo_tiles, 1, config.weight_fifo_tiles)};
}

MachineConfig without_excess(const Segment& segment, MachineConfig config) {
  config.unified_buffer_kib = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(config.unified_buffer_kib, enough_kib(segment, config)));
  return config;
}

MachineConfig ample_machine(MachineConfig config) {
  constexpr std::uint32_t kAmple = std::uint32_t{1} << 20U;
  config.unified_buffer_kib = std::max(config.unified_buffer_kib, kAmple);
  config.accumulator_rows = std::max(config.accumulator_rows, kAmple);
  return config;
}

std::vector<std::int64_t> chunk_candidates(const Layer& layer, const MachineConfig& config) {
  std::vector<std::int64_t> rows = {0, part_of_sums(layer, config, 1),
                                    part_of_sums(layer, config, 3)};
  if (const auto sums = accumulator_rows(layer, config)) {
    const auto ladder = powers<std::int64_t>(std::bit_ceil(config.array_rows),
                                             std::min(*sums, streamed_rows(layer)));
    rows.insert(rows.end(), ladder.rbegin(), ladder.rend());
  }
  return rows;
}

std::vector<std::int64_t> short_chunks(const Layer& layer, const MachineConfig& config) {
  constexpr std::int64_t kShortest = 8;
  const auto sums = accumulator_rows(layer, config);
  if (!sums) return {};
  const std::int64_t whole = std::bit_ceil(config.array_rows);
  std::vector<std::int64_t> rows =
      powers<std::int64_t>(kShortest, std::min({*sums, streamed_rows(layer), whole}));
  std::ranges::reverse(rows);
  return rows;
}

ScheduleChoices planned_for(const Capacities& capacities, ScheduleChoices choices,
                            const Segment& segment, const MachineConfig& config) {
  choices.capacities = capacities;
  const MachineConfig planned = with_capacities(config, capacities);
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const std::int64_t most = part_of_sums(segment.layers[i], planned, 1);
    choices.chunk_rows[i] = std::min(choices.chunk_rows[i], most);
  }
  choices.buffer = with_staging(planned, needed_margin(segment),
                                std::min(choices.buffer.staging_rows(), usable_rows(planned) / 2),
                                std::min(choices.buffer.tile_slots, most_tile_slots(planned)));
  return choices;
}

}  // namespace weft::compiler
