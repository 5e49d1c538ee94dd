#include "compiler/emit/emit_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/blocks/constant_rows.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/host_tensors.h"
#include "compiler/layers/line_bands.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/program/machine_step.h"
#include "compiler/rows/ceil_div.h"

namespace weft::compiler {
namespace {

/// A lower bound of a layer's matmuls and fetches, for chunks as long as the accumulators allow.
/// With a single fold one tile may serve several chunks, so its fetches do not count.
std::uint64_t least_instructions(const ContractionLayer& layer, const MachineConfig& config) {
  if (layer.groups > 1) return 0;  // most tiles are empty
  const auto* constant = std::get_if<ConstantWeights>(&layer.weights);
  const std::int64_t pieces = constant == nullptr ? 1 : constant->pieces;
  const std::int64_t folds =
      pieces * layer.walk.taps() * ceil_div(layer.k, std::int64_t{config.array_rows});
  const std::int64_t chunks = ceil_div(layer.walk.rows(), std::int64_t{config.accumulator_rows});
  const std::int64_t columns = ceil_div(layer.n, std::int64_t{config.array_cols});
  const double count = (folds > 1 ? 2.0 : 1.0) * static_cast<double>(layer.batch.size()) *
                       static_cast<double>(chunks) * static_cast<double>(columns) *
                       static_cast<double>(folds);
  constexpr double kMost = 1e15;  // sums of it and products below it are exact
  return static_cast<std::uint64_t>(std::min(count, kMost));
}

/// Groups of images and bands of lines.
std::vector<std::string> divisions_of(const Schedule& schedule, std::size_t layer) {
  std::vector<std::string> notes;
  const std::string images = to_text(schedule.groups, layer);
  if (!images.empty()) notes.push_back(images.starts_with("groups") ? "in " + images : images);
  const std::string bands = to_text(schedule.bands, layer);
  if (!bands.empty()) notes.push_back("in " + bands);
  return notes;
}

/// Adds to each layer whose tiles take the way through the unified buffer that they do.
void note_buffered_tiles(const PartedSegment& parts, const Schedule& schedule, MachineStep& step) {
  std::vector<std::uint32_t> shares(step.layers.size());
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    std::uint32_t& share = shares[parts.layers[i].layer];
    for (const Mapping& mapping : schedule.layers[i].mappings) {
      share = std::max(share, mapping.buffered_tiles);
    }
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0) continue;
    step.layers[i].scheduled.push_back(buffered_tiles_text(shares[i]));
  }
}

/// A step with one entry for each layer of a segment.
MachineStep step_for(const Segment& segment, const PartedSegment& parts, const Schedule& schedule,
                     const MachineConfig& config) {
  MachineStep step = new_step(config);
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const Layer& layer = segment.layers[i];
    step.layers.push_back(info_of(layer));
    const std::size_t form = schedule.forms.empty() ? 0 : schedule.forms[i];
    if (form > 0) step.layers.back().note = layer.others[form - 1].note;
    LayerResult result;
    result.value = layer.value;
    result.view = result_view(layer.body);
    if (const auto* product = std::get_if<ContractionLayer>(&layer.body)) {
      const ImageLines& lines = product->join.lines.out;
      result.lines = product->border.any() || lines.slice > 0 ? lines : ImageLines{};
    }
    result.size = segment.sheets[result.view.sheet].size;
    result.wide = segment.sheets[result.view.sheet].wide;
    for_each_input_sheet(layer.body, [&](std::size_t id) {
      const Sheet& sheet = segment.sheets[id];
      if (sheet.from_host && !sheet.make) result.narrow_inputs.push_back(sheet.value);
    });
    step.results.push_back(std::move(result));
    step.layers.back().scheduled = divisions_of(schedule, i);
  }
  note_buffered_tiles(parts, schedule, step);
  return step;
}

class SegmentLowering {
 public:
  SegmentLowering(const Segment& segment, const Schedule& schedule, const MachineConfig& config,
                  std::size_t most, InstructionSink& sink)
      : parts_(in_parts(segment, schedule)),
        segment_(parts_.segment),
        schedule_(schedule),
        config_(with_capacities(config, schedule.capacities)),
        step_(step_for(segment, parts_, schedule, config)),
        stream_(config, step_, sink, most),
        memory_(config_, parts_, schedule, stream_, step_),
        chunks_(segment.layers.size()) {
    stream_.staging_from(schedule.buffer.staging);
    const auto rounds = static_cast<std::size_t>(schedule.groups.rounds_at_once);
    if (rounds > 1) {
      stream_.order_rounds(config_, rounds);
    } else if (schedule.order == InstructionOrder::kByStart) {
      stream_.order_by_start(config_);
    }
    if (schedule.order == InstructionOrder::kByTile) stream_.order_by_tile(config_);
    if (schedule.buffer.tile_slots > 0) stream_.weights_from(schedule.buffer.end);
  }

  MachineStep run() {
    // Refuses before millions of instructions take memory.
    stream_.expect(least_instructions(segment_, config_, stream_.most()));
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) run_part(i);
    stream_.finish();
    step_.staged_rows = memory_.staging().rows_taken_once();
    return std::move(step_);
  }

 private:
  void run_part(std::size_t index) {
    const Layer& layer = segment_.layers[index];
    const LayerPart& part = parts_.layers[index];
    stream_.begin_layer(static_cast<std::uint32_t>(part.layer));
    memory_.begin_layer(part.layer, part.body);
    for_each_input_sheet(layer.body,
                         [&](std::size_t sheet) { memory_.prepare_input(sheet, index); });
    const std::size_t out = result_view(layer.body).sheet;
    if (memory_.prepare_output(out, index)) prepare_lanes(index);
    const std::vector<PlacedConstant> constants = constants_for(index);
    LayerInfo prepared;  // what comes before the body that gives the result
    LoweringContext context{config_,
                            memory_,
                            stream_,
                            part.is_last ? step_.layers[part.layer] : prepared,
                            schedule_.layers[index].mappings,
                            constants,
                            accumulator_use_,
                            weights_,
                            schedule_.order == InstructionOrder::kByTile,
                            part.layer,
                            chunks_[part.layer]};
    std::visit([&](const auto& body) { lower(body, context); }, layer.body);
    if (part.is_last) {
      if (part.cuts_rows) chunks_[part.layer] += chunks_of(layer, context.mappings.front());
      const std::int64_t before = parts_.sheets[out].first_row;
      const PositionRange rows = {part.rows.first - before, part.rows.last - before};
      memory_.finish_output(out, rows.first, rows.last);
      note_result(part, out, rows);
      if (ends(schedule_.groups.round, part)) {
        begin_round(ends(schedule_.groups.merged, part));
      }
    }
    step_.layers[part.layer].vector_rows += prepared.vector_rows;
    memory_.release_after(index);
  }

  /// Uses the same rows again as the round before, so that it takes no longer.
  void begin_round(bool apart) {
    stream_.begin_round(apart);
    memory_.begin_round(apart);
    accumulator_use_ = 0;
  }

  static std::int64_t chunks_of(const Layer& layer, const Mapping& mapping) {
    const auto* contraction = std::get_if<ContractionLayer>(&layer.body);
    return contraction == nullptr ? 0 : Chunks(contraction->walk, mapping.chunk_rows).size();
  }

  /// True if `images` images are done and the next ones follow; never if that is 0.
  bool ends(std::int64_t images, const LayerPart& part) const {
    if (images == 0 || part.band + 1 < part.bands) return false;
    const std::vector<std::int64_t>& sizes = schedule_.groups.sizes;
    const std::size_t next = part.layer + 1;
    const std::int64_t done = part.images.first + part.images.count;
    const bool goes_on = next < sizes.size() && done % sizes[next] == 0;
    return !goes_on && done % images == 0;
  }

  std::vector<PlacedConstant> constants_for(std::size_t index) const {
    const std::vector<ConstantRows> rows = constants_of(segment_.layers[index].body, config_);
    std::vector<PlacedConstant> constants;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      constants.push_back({rows[i], schedule_.layers[index].constants[i]});
    }
    return constants;
  }

  /// True if a layer does not write all lanes of the rows that it writes.
  bool leaves_lanes(const LayerBody& body) const {
    const std::int64_t width = config_.array_rows;
    if (const auto* concat = std::get_if<ConcatLayer>(&body)) {
      const std::int64_t channels = segment_.sheets[concat->out.sheet].size.channels;
      const std::int64_t last = (channels - 1) / width * width;
      return std::ranges::any_of(
                 concat->parts,
                 [&](const ElementwiseLayer& part) { return part.out.channel % width != 0; }) &&
             std::ranges::none_of(concat->parts, [&](const ElementwiseLayer& part) {
               return part.fills_plane && part.out.channel == last;
             });
    }
    const auto* product = std::get_if<ContractionLayer>(&body);
    return product != nullptr && std::ranges::any_of(product->batch, [&](const BatchOffset& each) {
             return each.out_channel % width != 0;
           });
  }

  /// Lanes that layers leave must be zero. The copy of a halo comes before the layers that write
  /// the other rows.
  void prepare_lanes(std::size_t index) {
    const std::size_t out = result_view(segment_.layers[index].body).sheet;
    bool leaves = leaves_lanes(segment_.layers[index].body);
    for (std::size_t i = index + 1; parts_.layers[i - 1].body == kHaloBody && !leaves; ++i) {
      leaves = leaves_lanes(segment_.layers[i].body);
    }
    const bool covered = config_.array_cols == config_.array_rows && !leaves;
    if (!covered) memory_.clear_last_plane(out);
  }

  void note_result(const LayerPart& part, std::size_t id, const PositionRange& written) {
    std::vector<ResultRows>& all = step_.results[part.layer].rows;
    ResultRows& rows = all.emplace_back();
    rows.first = parts_.sheets[id].first_row + written.first;
    rows.count = written.last - written.first;
    if (!memory_.places().resident(id)) {
      rows.tensor = memory_.host_tensor(id);
      rows.tensor_row = written.first;
      return;
    }
    const std::uint64_t base =
        memory_.places().base(id) + static_cast<std::uint64_t>(written.first);
    rows.base = base + stream_.moved_by();
    rows.plane_rows = segment_.sheets[id].size.rows;
    stream_.after_writes(
        base, static_cast<std::uint64_t>(rows.count),
        static_cast<std::uint64_t>(memory_.places().planes(id)),
        static_cast<std::uint64_t>(rows.plane_rows),
        [&all, i = all.size() - 1](std::size_t count) { all[i].done_by = count - 1; });
  }

  const PartedSegment parts_;
  const Segment& segment_;  // of parts
  const Schedule& schedule_;
  const MachineConfig config_;  // for which the schedule was planned
  MachineStep step_;
  Stream stream_;
  SheetMemory memory_;
  std::uint64_t accumulator_use_ = 0;
  WeightPlaces weights_;
  std::vector<std::int64_t> chunks_;  // of each layer, so far
};

}  // namespace

// Stops before a layer that is too long by itself: its lowering refuses it by name.
std::uint64_t least_instructions(const Segment& segment, const MachineConfig& config,
                                 std::size_t most) {
  std::uint64_t count = 0;
  for (const Layer& layer : segment.layers) {
    const auto* contraction = std::get_if<ContractionLayer>(&layer.body);
    if (contraction == nullptr) continue;
    const std::uint64_t least = least_instructions(*contraction, config);
    if (least > most) break;
    count += least;
  }
  return count;
}

MachineStep emit_segment(const Segment& segment, const Schedule& schedule,
                         const MachineConfig& config, std::size_t most, InstructionSink& sink) {
  return SegmentLowering(segment, schedule, config, most, sink).run();
}

}  // namespace weft::compiler
