#include "compiler/schedule/compile_network.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/layers/chunks.h"
#include "compiler/layers/host_tensors.h"
#include "compiler/layers/used_sheets.h"
#include "compiler/program/machine_step.h"
#include "compiler/program/network_program.h"
#include "compiler/rows/ceil_div.h"
#include "compiler/schedule/product_segment.h"
#include "compiler/segments/segments.h"

namespace weft::network {
namespace {

/// How many rows before their sheet the generators of any layer may begin.
std::int64_t margin_of(const std::vector<Layer>& layers) {
  std::int64_t margin = 0;
  for (const Layer& layer : layers) {
    std::visit(
        [&](const auto& body) {
          if constexpr (requires { body.walk; }) margin = std::max(margin, margin_of(body.walk));
          if constexpr (requires { body.parts; }) {
            for (const auto& part : body.parts) margin = std::max(margin, margin_of(part.walk));
          }
        },
        layer.body);
  }
  return margin;
}

/// A lower bound of a layer's matmuls and fetches, for chunks as long as the accumulators allow.
/// With a single fold one tile may serve several chunks, so its fetches do not count.
std::uint64_t least_instructions(const ContractionLayer& layer, const MachineConfig& config) {
  if (layer.groups > 1) return 0;  // most tiles are empty
  const auto* constant = std::get_if<ConstantWeights>(&layer.weights);
  const std::int64_t pieces = constant == nullptr ? 1 : constant->pieces;
  const std::int64_t folds =
      pieces * layer.walk.taps() * ceil_div(layer.k, std::int64_t{config.array_rows});
  const std::int64_t chunks = ceil_div(layer.walk.rows(), std::int64_t{config.accumulator_rows});
  const std::uint64_t each = folds > 1 ? 2 : 1;
  return each * layer.batch.size() * static_cast<std::uint64_t>(chunks) *
         static_cast<std::uint64_t>(ceil_div(layer.n, std::int64_t{config.array_cols})) *
         static_cast<std::uint64_t>(folds);
}

/// Stops before a layer that is too long by itself: its lowering refuses it by name.
std::uint64_t least_instructions(const std::vector<Layer>& layers, const MachineConfig& config) {
  std::uint64_t count = 0;
  for (const Layer& layer : layers) {
    const auto* contraction = std::get_if<ContractionLayer>(&layer.body);
    if (contraction == nullptr) continue;
    const std::uint64_t least = least_instructions(*contraction, config);
    if (least > kMaxInstructions) break;
    count += least;
  }
  return count;
}

/// Lowers the layers of one segment.
class SegmentLowering {
 public:
  SegmentLowering(const Segment& segment, const BufferShares& shares, const MachineConfig& config,
                  std::size_t most_instructions)
      : config_(config),
        layers_(segment.layers),
        margin_(static_cast<std::uint64_t>(margin_of(layers_))),
        stream_(most_instructions),
        step_(new_step(config)),
        memory_(config, segment.sheets, margin_, shares, stream_, step_) {}

  MachineStep run() {
    stream_.expect(
        least_instructions(layers_, config_));  // refuses before millions of them take memory
    for (std::size_t i = 0; i < layers_.size(); ++i) run_layer(i);
    finish_step(stream_, step_, config_);
    return std::move(step_);
  }

 private:
  void run_layer(std::size_t index) {
    const Layer& layer = layers_[index];
    stream_.begin_layer(static_cast<std::uint32_t>(index));
    step_.layers.push_back(info_of(layer));
    for_each_input_sheet(layer.body, [this](std::size_t sheet) { memory_.prepare_input(sheet); });
    const View& out = result_view(layer.body);
    memory_.prepare_output(out.sheet);
    prepare_parts(layer);
    LoweringContext context{config_, memory_, stream_, step_.layers.back(), accumulator_use_};
    std::visit([&](const auto& body) { lower(body, context); }, layer.body);
    memory_.finish_output(out.sheet);
    note_result(layer, out);
    memory_.release_constants();
    memory_.release_after(index);
  }

  /// If layers write only parts of a sheet's rows, the other parts must be zero.
  void prepare_parts(const Layer& layer) {
    const View& out = result_view(layer.body);
    const std::int64_t width = config_.array_rows;
    bool parts = false;
    if (const auto* concat = std::get_if<ConcatLayer>(&layer.body)) {
      parts = std::ranges::any_of(concat->parts, [&](const ElementwiseLayer& part) {
        return part.out.channel % width != 0;
      });
    }
    if (const auto* product = std::get_if<ContractionLayer>(&layer.body)) {
      parts = std::ranges::any_of(product->batch, [&](const BatchOffset& offset) {
        return offset.out_channel % width != 0;
      });
    }
    const bool covered = config_.array_cols == config_.array_rows && !parts;
    if (!covered) memory_.clear_last_plane(out.sheet);
  }

  void note_result(const Layer& layer, const View& out) {
    LayerResult result;
    result.value = layer.value;
    result.view = out;
    result.size = memory_.sheet(out.sheet).size;
    result.wide = memory_.sheet(out.sheet).wide;
    if (memory_.resident(out.sheet)) {
      result.base = memory_.base(out.sheet);
    } else {
      result.tensor = memory_.host_tensor(out.sheet);
    }
    for_each_input_sheet(layer.body, [&](std::size_t id) {
      const Sheet& sheet = memory_.sheet(id);
      if (sheet.from_host && !sheet.make) result.narrow_inputs.push_back(sheet.value);
    });
    step_.results.push_back(std::move(result));
  }

  const MachineConfig& config_;
  const std::vector<Layer>& layers_;
  const std::uint64_t margin_;
  Stream stream_;
  MachineStep step_;
  SheetMemory memory_;
  std::uint64_t accumulator_use_ = 0;
};

/// Tries the buffer shares from the one that keeps most sheets in the buffer to the one that keeps
/// none, and takes the first in which all layers fit.
MachineStep lower_segment(const Segment& segment, const MachineConfig& config,
                          std::size_t most_instructions) {
  if (const auto product = only_product(segment, config)) {
    return product_step(segment, *product, config, most_instructions);
  }
  constexpr BufferShares kShares[] = {{4, true}, {2, true}};
  for (const BufferShares& shares : kShares) {
    try {
      return SegmentLowering(segment, shares, config, most_instructions).run();
    } catch (const ConfigError&) {
      // The next shares leave more room for what a layer works on at once.
    }
  }
  return SegmentLowering(segment, kNothingStays, config, most_instructions).run();
}

/// Both are counted: finish_step() reserves room for all instructions while the stream still holds
/// all operations.
constexpr std::uint64_t kBytesPerInstruction =
    sizeof(Operation) + sizeof(Instruction) + sizeof(std::uint32_t) + sizeof(TileNumbers);

}  // namespace

NetworkProgram compile_network(graph::Graph graph, const MachineConfig& config,
                               const CompileOptions& options) {
  NetworkProgram program;
  program.graph = std::move(graph);
  std::uint64_t room = options.memory_bytes / kBytesPerInstruction;
  for (auto& part : cut_into_segments(program.graph, config, options)) {
    if (auto* host = std::get_if<HostStep>(&part)) {
      program.steps.emplace_back(std::move(*host));
      continue;
    }
    MachineStep step = lower_segment(std::get<Segment>(part), config,
                                     std::min<std::uint64_t>(room, kMaxInstructions));
    room -= step.program.code.size();
    program.steps.emplace_back(std::move(step));
  }
  return program;
}

}  // namespace weft::network
