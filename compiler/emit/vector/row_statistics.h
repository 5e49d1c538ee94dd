// Shared by the layers that compute along the channels: wide rows (32-bit words) for each tile of C
// lanes, and statistics of each row. A statistic is a wide row with the same number in every lane.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/blocks/staging.h"
#include "compiler/emit/vector/lane_steps.h"

namespace weft::compiler {

class RowStatistics {
 public:
  /// `layer` has a, walk, channels, out and the quantization of both.
  template <class Layer>
  RowStatistics(const Layer& layer, LoweringContext& lowering)
      : context(lowering),
        tiles(lane_tiles(layer.channels, lowering.config)),
        a_(layer.a),
        walk_(layer.walk),
        channels_({0, layer.channels}),
        out_(layer.out),
        input_(lowering.memory, layer.a.sheet, layer.a.row, layer.walk),
        a_quantization_(layer.a_quantization),
        quantization_(layer.quantization),
        buffers_(row_buffers(layer)) {}

  /// Registers a constant that the passes read.
  void use(LayerConstant& constant) { constants_.push_back(&constant); }

  /// Calls function() for each chunk. `steps`, if not null, first reads its operands for the chunk.
  /// `layer` is that of the constructor.
  template <class Layer, class Function>
  void for_each_chunk(const Layer& layer, LaneSteps* steps, Function&& function) {
    const Places& places = context.places();
    const Chunks chunks(walk_, context.mappings.front().chunk_rows);
    context.info.chunks += static_cast<std::uint64_t>(chunks.size());
    context.info.n_tiles = tiles.size();
    for (std::int64_t i = 0; i < chunks.size(); ++i) {
      const Chunk next = chunks[i];
      begin(next, staged(layer, next, channels_, places, context.constants));
      if (steps != nullptr) steps->read(next, channels_);
      function();
      context.memory.wrote(out_.sheet, write_block(out_, chunk, channels_, places), out_rows_);
    }
  }

  /// First UB row of tile `tile` of buffer `buffer`, and of statistic `index`.
  std::uint32_t buffer(std::uint64_t buffer, std::size_t tile) const {
    return base_ + static_cast<std::uint32_t>((buffer * tiles.size() + tile) * block_rows());
  }
  std::uint32_t statistic(std::uint64_t index) const {
    return base_ + static_cast<std::uint32_t>((buffers_.tile_buffers * tiles.size() + index) *
                                              block_rows());
  }

  VectorSource input(std::size_t tile) const {
    VectorSource source = narrow_source(a_, chunk, tiles[tile], a_rows_, context);
    source.quantization = a_quantization_;
    return source;
  }
  VectorSource wide(std::uint32_t base) const {
    return wide_source(base, chunk.rows(), context.config);
  }
  VectorOperand operand(std::uint32_t base) const { return wide_operand(base, context.config); }
  Vector to_wide_rows(VectorSource source, std::uint32_t base, std::size_t tile) const {
    return to_wide(source, base, chunk.rows(), tiles[tile], context.config);
  }
  /// Statistics have the same number in all lanes.
  Vector to_statistic(VectorSource source, std::uint64_t index) const {
    return to_wide(source, statistic(index), chunk.rows(),
                   {0, std::int64_t{context.config.array_cols}}, context.config);
  }
  Vector to_out(VectorSource source, std::size_t tile) const {
    Vector vector = to_narrow(source, out_, out_rows_, chunk, tiles[tile], context);
    vector.quantization = quantization_;
    return vector;
  }

  /// statistic `index` = reduction over all tiles of the values that make(tile) computes.
  template <class Make>
  void reduce(std::uint64_t index, VectorReduce kind, Make&& make) {
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
      Vector vector = make(tile);
      vector.ub = statistic(index);
      vector.reduce = kind;
      const VectorMode more = kind == VectorReduce::kSum ? VectorMode::kAdd : VectorMode::kMax;
      vector.mode = tile == 0 ? VectorMode::kOverwrite : more;
      emit(std::move(vector), context);
    }
  }

  LoweringContext& context;
  const std::vector<LaneTile> tiles;
  Chunk chunk = {};

 private:
  std::uint64_t block_rows() const { return wide_rows(chunk, context.config); }

  void begin(const Chunk& next, std::uint64_t need) {
    chunk = next;
    context.memory.staging().begin_use(need);
    a_rows_ = input_.read(chunk, planes_of(a_, channels_, context.places()));
    out_rows_ = write_place(out_, chunk, channels_, context);
    base_ = context.memory.staging().stage(
        (buffers_.tile_buffers * tiles.size() + buffers_.statistics) * block_rows());
    for (LayerConstant* constant : constants_) constant->begin_use();
  }

  const View& a_;
  const RowWalk& walk_;
  const ChannelRange channels_;
  const View& out_;
  const ChunkInput input_;
  const Quantization a_quantization_;
  const Quantization quantization_;
  const RowBuffers buffers_;
  std::vector<LayerConstant*> constants_;
  ChunkInput::ChunkRows a_rows_ = {};
  Placement out_rows_ = {};
  std::uint32_t base_ = 0;
};

}  // namespace weft::compiler
