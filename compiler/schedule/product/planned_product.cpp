#include "compiler/schedule/product/planned_product.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/mapping/buffers.h"
#include "compiler/mapping/pacing.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/product/refuse_plan.h"

namespace weft::compiler {
namespace {

/// "8, 16 and 24"; of many only the first and the last.
std::string numbers_text(std::vector<std::uint32_t> numbers) {
  constexpr std::size_t kMost = 6;
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() == 1) return fmt::format("{}", numbers.front());
  const auto last = numbers.back();
  if (numbers.size() > kMost) {
    return fmt::format("one of {} numbers from {}, {}, {} to {}", numbers.size(), numbers[0],
                       numbers[1], numbers[2], last);
  }
  numbers.pop_back();
  return fmt::format("{} or {}", fmt::join(numbers, ", "), last);
}

/// Finds the plan among those that are possible, one field after the other, and refuses the first
/// field that none of those left has.
class PlannedProduct {
 public:
  PlannedProduct(std::vector<TilingPlan> possible, const std::string& layer)
      : left_(std::move(possible)), layer_(layer) {}

  void keep(std::string_view field, std::uint32_t value, std::uint32_t TilingPlan::*member) {
    std::vector<std::uint32_t> others;
    for (const TilingPlan& each : left_) others.push_back(each.*member);
    keep_if([&](const TilingPlan& each) { return each.*member == value; }, field, value,
            [&] { return numbers_text(others); });
  }

  /// `is` gives the value of a plan, `text` its name.
  template <class Value, class Is, class Text>
  void keep(std::string_view field, Value value, const Is& is, const Text& text) {
    keep_if([&](const TilingPlan& each) { return is(each) == value; }, field, text(value),
            [&] { return std::string(text(is(left_.front()))); });
  }

  const TilingPlan& only() const { return left_.front(); }

 private:
  template <class Suits, class Value, class Known>
  void keep_if(const Suits& suits, std::string_view field, const Value& value, const Known& known) {
    std::vector<TilingPlan> kept;
    std::ranges::copy_if(left_, std::back_inserter(kept), suits);
    if (kept.empty()) {
      refuse(layer_, field, value, fmt::format("must be {} with the fields before it", known()));
    }
    left_ = std::move(kept);
  }

  std::vector<TilingPlan> left_;
  const std::string& layer_;
};

/// The machine whose pacing is planned.
MachineConfig paced_for(const ProductPlan& plan, const MachineConfig& config) {
  const auto check = [&](std::string_view field, std::uint32_t value, std::uint32_t has) {
    if (value > 0 && value <= has) return;
    refuse(plan.layer, field, value, fmt::format("must be 1 to {}, which the machine has", has));
  };
  check("weight_fifo_tiles", plan.weight_fifo_tiles, config.weight_fifo_tiles);
  check("queue_depth", plan.queue_depth, config.queue_depth);
  MachineConfig paced = config;
  paced.weight_fifo_tiles = plan.weight_fifo_tiles;
  paced.queue_depth = plan.queue_depth;
  return paced;
}

/// The plans with the slots for tiles that `plan` has.
std::vector<TilingPlan> with_planned_tiles(const std::vector<TilingPlan>& plans,
                                           const MachineConfig& config, const ProductPlan& plan) {
  if (plan.tile_slots == 0 && plan.buffered_tiles == 0) return plans;
  if (plan.tile_slots == 0) {
    refuse(plan.layer, "buffered_tiles", plan.buffered_tiles, "the product has no tile_slots");
  }
  TilingPlan changed = plans.front();
  changed.tile_slots = plan.tile_slots;
  changed.buffered_tiles = plan.buffered_tiles;
  const std::uint64_t tiles = TileWalk(changed).tiles();
  if (tiles == 0) {
    refuse(plan.layer, "buffered_tiles", plan.buffered_tiles,
           "leaves no tile for the tile_slots; give more, or 0 for both");
  }
  if (plan.tile_slots > tiles) {
    refuse(plan.layer, "tile_slots", plan.tile_slots,
           fmt::format("must be 1 to {}, one for each tile that comes through them", tiles));
  }
  std::vector<TilingPlan> changes;
  for (const TilingPlan& each : plans) {
    auto with_tiles = with_tile_slots(each, config, plan.tile_slots, plan.buffered_tiles);
    if (with_tiles) changes.push_back(*with_tiles);
  }
  if (changes.empty()) refuse(plan.layer, "tile_slots", plan.tile_slots, "do not fit");
  return changes;
}

}  // namespace

Schedule planned_product(const Segment& segment, const MachineConfig& config,
                         const ProductPlan& plan) {
  const std::string& name = segment.layers.front().name;
  const auto product = only_product(segment, config);
  if (name != plan.layer) {
    throw InputError(fmt::format("layer {}: here the network has layer {}", printable(plan.layer),
                                 printable(name)));
  }
  const std::uint32_t largest = largest_chunk(*product, config);
  if (plan.chunk_rows == 0 || plan.chunk_rows > largest) {
    refuse(name, "chunk_rows", plan.chunk_rows, fmt::format("must be 1 to {}", largest));
  }
  std::vector<TilingPlan> possible = plans_with_chunks(*product, config, plan.chunk_rows);
  if (possible.empty()) refuse(name, "chunk_rows", plan.chunk_rows, "its slots do not fit");
  PlannedProduct found(with_planned_tiles(possible, config, plan), name);
  found.keep(
      "order", plan.order, [](const TilingPlan& each) { return each.order; },
      [](LoopOrder order) {
        return order == LoopOrder::kChunkOutermost ? "chunks outermost" : "chunks innermost";
      });
  found.keep(
      "activations_resident", plan.activations_resident,
      [](const TilingPlan& each) { return each.activations_resident; },
      [](bool resident) { return resident ? "true" : "false"; });
  found.keep("activation_slots", plan.activation_slots, &TilingPlan::activation_slots);
  found.keep("bias_slots", plan.bias_slots, &TilingPlan::bias_slots);
  TilingPlan planned = found.only();
  planned.stores_by_row = plan.stores_by_row;
  if (plan.stores_by_row && last_result_rows(*product, config) == config.result_row_rows()) {
    refuse(name, "stores_by_row", true, "its results have no rows of padding");
  }
  planned.pacing = pace(planned, paced_for(plan, config));
  Schedule schedule;
  schedule.layers.push_back({{planned}, {}});
  return schedule;
}

}  // namespace weft::compiler
