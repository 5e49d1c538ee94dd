#include "compiler/emit/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "base/error.h"
#include "compiler/blocks/places.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/checked_math.h"
#include "compiler/mapping/matmul_loops.h"
#include "compiler/mapping/matmul_walk.h"
#include "compiler/mapping/pacing.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/program/dependences.h"
#include "sim/isa/row_generator.h"

namespace weft {
namespace {

// Transfers brought forward after one matmul. More would be a burst that fills the queue.
constexpr int kTransfersAMatmul = 2;

std::uint32_t to_u32(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

/// The accumulator type's bit pattern of a small whole number.
std::uint32_t accumulator_bits(int value, ElementType dtype) {
  if (accumulator_type(dtype) == ElementType::kInt32) return static_cast<std::uint32_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// Where the tensors lie in host memory, in host rows; weights are numbered by tile from 0.
struct HostLayout {
  std::uint64_t bias;
  std::uint64_t out;
  std::uint64_t weights;  // B again, for the tiles that come through the unified buffer

  HostLayout(const TilingPlan& plan, std::uint64_t result_row_rows)
      : bias(plan.k_tiles * plan.spec.m),
        out(bias + (plan.spec.bias ? plan.n_tiles * result_row_rows : 0)),
        weights(out + plan.n_tiles * plan.spec.m * result_row_rows) {}
};

std::vector<TensorDecl> tensors(const TilingPlan& plan, const MachineConfig& config) {
  const HostLayout host(plan, config.result_row_rows());
  const MatmulSpec& spec = plan.spec;
  const ElementType wide = accumulator_type(config.dtype);
  std::vector<TensorDecl> list = {
      {"a", TensorRole::kActivation, config.dtype, spec.m, spec.k, 0},
      {"b", TensorRole::kWeights, config.dtype, spec.k, spec.n, 0},
  };
  if (spec.bias) list.push_back({"bias", TensorRole::kBias, wide, 1, spec.n, host.bias});
  list.push_back({"out", TensorRole::kResult, wide, spec.m, spec.n, host.out});
  if (TileWalk(plan).tiles() > 0) {
    list.push_back({std::string(kWeightRows), TensorRole::kActivation, config.dtype, spec.k, spec.n,
                    host.weights});
  }
  return list;
}

/// Emits the program: before each matmul what it needs, and after it what is due by then
/// (pacing.h). Each unit's instructions come in the order of their use.
class MatmulEmitter final : public InstructionStream {
 public:
  MatmulEmitter(const TilingPlan& plan, const MachineConfig& config, const LaneFunction& function)
      : plan_(plan),
        function_(function),
        walk_(plan_),
        tiles_(plan_),
        pacing_(plan.pacing),
        loops_(plan_, walk_, pacing_),
        rr_(config.result_row_rows()),
        host_(plan, rr_),
        bias_base_(plan.activation_slots * plan.chunk_rows),
        output_base_(bias_base_ + plan.bias_slots * rr_),
        tile_base_(output_base_ + plan.output_slots * plan.chunk_rows * rr_),
        tile_slot_rows_(to_u32(compiler::tile_slot_rows(config))),
        array_rows_(config.array_rows),
        last_result_rows_(last_result_rows(plan.spec, config)),
        // Activations are only read, and each row of the result is stored once.
        tracker_(config, HostRows::kApart) {
    check_counts();
  }

  /// Appends the next matmul with the instructions before and after it, or after the last matmul
  /// the next vector and its stores. Returns false at the end.
  bool next(std::vector<Instruction>& code) override {
    code_ = &code;
    if (matmuls_ < plan_.matmuls()) {
      require_inputs(matmuls_);
      emit(matmul(matmuls_));
      emit_due(matmuls_++);
      return true;
    }
    if (vectors_ == plan_.region_uses() && stores_ == vectors_) return false;
    if (vectors_ < plan_.region_uses()) emit_vectors_through(vectors_);
    emit_stores_before(vectors_);
    return true;
  }

  bool begins_pass(std::size_t loop) const override { return loops_.begins_pass(loop, matmuls_); }
  Position position() const override {
    return {matmuls_, fetches_, loads_, tile_loads_, biases_, vectors_, stores_};
  }
  std::uint64_t repetitions(std::size_t loop, const Position& earlier) const override {
    const auto [matmuls, fetches, loads, tile_loads, biases, vectors, stores] = earlier;
    return loops_.repetitions(loop, {matmuls, fetches, loads, biases, vectors, stores},
                              {matmuls_, fetches_, loads_, biases_, vectors_, stores_});
  }
  void visit(StateVisitor& visitor) override {
    tracker_.visit(visitor);
    // repetitions() knows how these decide.
    for (std::uint64_t* count :
         {&matmuls_, &fetches_, &loads_, &tile_loads_, &biases_, &vectors_, &stores_}) {
      visitor.total(*count);
    }
  }

 private:
  /// `after` has 32 bits for the instructions of each unit.
  void check_counts() const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t most = std::max(plan_.matmuls(), walk_.loads() + walk_.bias_loads());
    if (most <= kMost) most += tiles_.loads() * (tile_slot_rows_ / array_rows_);
    most = std::max(most, plan_.stores());
    if (most <= kMost) return;
    throw InputError(fmt::format(
        "matmul: the program would have {} instructions of one unit, and an `after` count goes up "
        "to 2^32 - 1; use a larger array, more accumulators or smaller M, K, N",
        most));
  }

  std::uint32_t rows_of_use(std::uint64_t use) const {
    return plan_.rows_of_chunk(walk_.chunk(use));
  }
  std::uint32_t accumulator_row(std::uint64_t use) const {
    return to_u32(use % plan_.accumulator_regions) * plan_.chunk_rows;
  }
  std::uint32_t activation_row(std::uint64_t load) const {
    return to_u32(load % plan_.activation_slots) * plan_.chunk_rows;
  }
  std::uint32_t bias_row(std::uint64_t use) const {
    const std::uint64_t slot =
        walk_.bias_stays() ? walk_.n_tile(use) : walk_.bias_load(use) % plan_.bias_slots;
    return bias_base_ + to_u32(slot) * rr_;
  }
  std::uint32_t output_row(std::uint64_t use) const {
    return output_base_ + to_u32(use % plan_.output_slots) * plan_.chunk_rows * rr_;
  }

  Load activation_load(std::uint64_t index) const {
    const auto [chunk, k_tile] = walk_.slice(index);
    return {k_tile * plan_.spec.m + chunk * plan_.chunk_rows, activation_row(index),
            plan_.rows_of_chunk(chunk)};
  }
  Load bias_load(std::uint64_t index) const {
    const std::uint64_t use = walk_.first_use_of_bias(index);
    const std::uint64_t tiles = walk_.bias_stays() ? plan_.n_tiles : 1;
    return {host_.bias + walk_.n_tile(use) * rr_, bias_row(use), to_u32(tiles) * rr_};
  }
  Matmul matmul(std::uint64_t index) const {
    const std::uint64_t use = walk_.use(index);
    Matmul matmul;
    matmul.rows = rows_of_use(use);
    matmul.ub = contiguous_rows(activation_row(walk_.load(index)), matmul.rows);
    matmul.acc = accumulator_row(use);
    matmul.accumulate = walk_.k_tile(index) > 0;
    matmul.next_weights = walk_.takes_tile(index);
    return matmul;
  }
  Vector vector(std::uint64_t use) const {
    Vector vector;
    vector.acc = accumulator_row(use);
    vector.ub = output_row(use);
    vector.rows = rows_of_use(use);
    vector.has_bias = plan_.spec.bias;
    if (vector.has_bias) vector.bias = bias_row(use);
    vector.op = function_.op;
    vector.low = function_.low;
    vector.high = function_.high;
    return vector;
  }
  Store store(std::uint64_t use) const {
    const std::uint64_t row = walk_.chunk(use) * plan_.chunk_rows;
    return {output_row(use), host_.out + (walk_.n_tile(use) * plan_.spec.m + row) * rr_,
            rows_of_use(use) * rr_};
  }
  void emit_store(std::uint64_t use) {
    const Store all = store(use);
    if (!plan_.stores_by_row || walk_.n_tile(use) + 1 < plan_.n_tiles) return emit(all);
    for (std::uint32_t row = 0; row < all.rows; row += rr_) {
      emit(Store{all.ub + row, all.host + row, last_result_rows_});
    }
  }

  void emit(const Operation& operation) { code_->push_back({operation, tracker_.add(operation)}); }
  void emit_load() { emit(activation_load(loads_++)); }
  void emit_fetch() {
    const std::uint64_t fetch = fetches_++;
    const std::uint64_t tile = walk_.tile(fetch);
    if (!tiles_.is_buffered(tile)) return emit(Fetch{tile, {}});
    const std::uint64_t load = tiles_.load(tiles_.uses_before(fetch));
    while (tile_loads_ <= load) emit_tile_load();
    const TileWalk::Block block = tiles_.block(tile);
    BufferTile rows;
    rows.row = tile_row(load);
    rows.rows = block.rows;
    rows.lanes = block.lanes;
    rows.window = {block.first_lane, array_rows_};
    emit(Fetch{0, rows});
  }
  void emit_tile_load() {
    const std::uint64_t load = tile_loads_++;
    const TileWalk::Block block = tiles_.block(tiles_.tile(load));
    for (std::uint32_t plane = 0; plane < block.planes; ++plane) {
      emit(Load{host_.weights + (block.first_plane + plane) * plan_.spec.k + block.k,
                tile_row(load) + plane * array_rows_, block.rows});
    }
  }
  std::uint32_t tile_row(std::uint64_t load) const {
    return tile_base_ + to_u32(load % plan_.tile_slots) * tile_slot_rows_;
  }

  /// Emits what matmul `i` needs: its tile, its activations and free accumulators.
  void require_inputs(std::uint64_t i) {
    while (fetches_ <= walk_.fetch(i)) emit_fetch();
    while (loads_ <= walk_.load(i)) emit_load();
    const std::uint64_t use = walk_.use(i);
    if (use >= plan_.accumulator_regions) emit_vectors_through(use - plan_.accumulator_regions);
  }

  void emit_due(std::uint64_t i) {
    const std::uint64_t fetches_due =
        std::min(walk_.fetches(), walk_.fetch(i) + pacing_.fetch_ahead + 1);
    for (int burst = 0; burst < kTransfersAMatmul && fetches_ < fetches_due; ++burst) emit_fetch();
    int burst = 0;
    for (; burst < kTransfersAMatmul && load_is_due(i); ++burst) emit_load();
    // A tile takes the link for long, so activations come first.
    for (; burst < kTransfersAMatmul && tile_load_is_due(i); ++burst) emit_tile_load();
    if (bias_is_due(i)) emit(bias_load(biases_++));
    while (vectors_ < plan_.region_uses() &&
           walk_.last_matmul(vectors_) + pacing_.vector_lag <= i) {
      emit_vectors_through(vectors_);
    }
    while (stores_ < vectors_ && walk_.last_matmul(stores_) + pacing_.store_lag <= i) {
      emit_stores_before(stores_ + 1);
    }
  }

  /// Whether the next load may come right after matmul `i`. The slices of a resident chunk are
  /// spread evenly over the chunk before it, after the first pass of that chunk over K.
  bool load_is_due(std::uint64_t i) const {
    if (loads_ == walk_.loads()) return false;
    const std::uint64_t chunk = loads_ / plan_.k_tiles;
    const bool by_chunk =
        plan_.activations_resident && plan_.order == LoopOrder::kChunkOutermost && chunk > 0;
    const bool is_first_set = plan_.activations_resident && loads_ < plan_.activation_slots;
    if (is_first_set && plan_.tile_slots > 0 && !by_chunk) return true;
    if (!by_chunk) return loads_ <= i + pacing_.load_ahead;
    return loops_.resident_load_due(loads_) <= i;
  }

  /// Whether the next tile may be loaded after matmul `i`: when the matmul of the tile that had its
  /// slot before is in the program.
  bool tile_load_is_due(std::uint64_t i) const {
    if (tile_loads_ >= tiles_.loads()) return false;
    return !tiles_.takes_used_slot(tile_loads_) ||
           tiles_.fetch_of(tiles_.use_before(tile_loads_)) <= walk_.fetch(i);
  }

  /// Whether the next bias may be loaded after matmul `i`: when its first use has begun and the
  /// last vector instruction that uses its slot is in the program.
  bool bias_is_due(std::uint64_t i) const {
    if (biases_ == walk_.bias_loads()) return false;
    const std::uint64_t use = walk_.first_use_of_bias(biases_);
    if (walk_.bias_stays()) return walk_.last_matmul(0) <= i;
    return use * plan_.k_tiles <= i && bias_slot_is_free();
  }
  bool bias_slot_is_free() const {
    if (biases_ < plan_.bias_slots) return true;
    return vectors_ >= walk_.first_use_of_bias(biases_ - plan_.bias_slots + 1);
  }

  /// Emits vectors up to the one of `use`, each after its bias and the store that frees its slot.
  void emit_vectors_through(std::uint64_t use) {
    while (vectors_ <= use) {
      while (plan_.spec.bias && biases_ <= walk_.bias_load(vectors_)) {
        emit(bias_load(biases_++));
      }
      if (vectors_ >= plan_.output_slots) emit_stores_before(vectors_ - plan_.output_slots + 1);
      emit(vector(vectors_++));
    }
  }
  void emit_stores_before(std::uint64_t use) {
    while (stores_ < use) emit_store(stores_++);
  }

  const TilingPlan plan_;
  const LaneFunction function_;
  const MatmulWalk walk_;
  const TileWalk tiles_;
  const Pacing pacing_;
  const MatmulLoops loops_;
  const std::uint32_t rr_;
  const HostLayout host_;
  const std::uint32_t bias_base_;
  const std::uint32_t output_base_;
  const std::uint32_t tile_base_;
  const std::uint32_t tile_slot_rows_;
  const std::uint32_t array_rows_;
  const std::uint32_t last_result_rows_;
  DependenceTracker tracker_;
  std::vector<Instruction>* code_ = nullptr;
  // How many of each kind are in the program.
  std::uint64_t matmuls_ = 0;
  std::uint64_t fetches_ = 0;
  std::uint64_t loads_ = 0;
  std::uint64_t tile_loads_ = 0;  // tiles; each may take several instructions
  std::uint64_t biases_ = 0;
  std::uint64_t vectors_ = 0;
  std::uint64_t stores_ = 0;
};

}  // namespace

std::uint64_t instruction_count(const TilingPlan& plan) {
  const MatmulWalk walk(plan);
  return walk.fetches() + walk.loads() + walk.bias_loads() + plan.matmuls() + plan.region_uses() +
         plan.stores() + TileWalk(plan).load_instructions();
}

LaneFunction lane_function(Activation activation, ElementType dtype) {
  switch (activation) {
    case Activation::kNone:
      return {};
    case Activation::kRelu:
      return {VectorOp::kRelu};
    case Activation::kRelu6:
      return {VectorOp::kClamp, accumulator_bits(0, dtype), accumulator_bits(6, dtype)};
  }
  return {};
}

std::unique_ptr<InstructionStream> matmul_stream(const TilingPlan& plan,
                                                 const MachineConfig& config) {
  return std::make_unique<MatmulEmitter>(plan, config,
                                         lane_function(plan.spec.activation, config.dtype));
}

Program matmul_header(const TilingPlan& plan, const MachineConfig& config) {
  Program program;
  program.array_rows = config.array_rows;
  program.array_cols = config.array_cols;
  program.dtype = config.dtype;
  program.tensors = tensors(plan, config);
  program.computes = plan.spec;
  return program;
}

Program lower_matmul(const TilingPlan& plan, const MachineConfig& config, std::size_t most) {
  return lower_matmul(plan, config, lane_function(plan.spec.activation, config.dtype), most);
}

Program lower_matmul(const TilingPlan& plan, const MachineConfig& config,
                     const LaneFunction& function, std::size_t most) {
  // matmuls() fits 64 bits, as a factor of the plan's MACs. Below the limit no other count exceeds
  // it, so the sum fits too.
  const std::uint64_t count = plan.matmuls() > most ? plan.matmuls() : instruction_count(plan);
  if (count > most) {
    throw InputError(
        fmt::format("matmul: the program would have {} instructions or more, and {} are the most "
                    "that {}; use a "
                    "larger array, more accumulators or smaller M, K, N",
                    count, most,
                    most < kMaxInstructions ? "the memory of this computer has room for"
                                            : "a program may have"));
  }
  Program program = matmul_header(plan, config);
  program.code.reserve(count);
  MatmulEmitter stream(plan, config, function);
  while (stream.next(program.code)) {
  }
  return program;
}

}  // namespace weft
