// Softmax along the channels, for each tile t of C lanes:
//
//   y_t = steps(x_t);  m = max over t of max(y_t);  e_t = exp(y_t - m);  s = sum over t of sum(e_t)
//   out_t = e_t / s      (logarithm: (y_t - m) - log s)
//
// m and s are wide rows with the same number in every lane.
#include <utility>

#include "compiler/emit/vector/row_statistics.h"

namespace weft::compiler {
namespace {

constexpr std::uint64_t kMaximum = 0;  // statistics
constexpr std::uint64_t kSum = 1;
constexpr std::uint64_t kLogarithm = 2;

class SoftmaxLowering {
 public:
  SoftmaxLowering(const SoftmaxLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        rows_(layer, context),
        steps_(layer.steps, layer.channels, context) {}

  void run() {
    rows_.for_each_chunk(layer_, &steps_, [this] {
      for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) run_steps(tile);
      rows_.reduce(kMaximum, VectorReduce::kMax, [this](std::size_t tile) {
        return rows_.to_wide_rows(argument(tile), 0, tile);
      });
      for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) shift(tile, VectorOp::kExp);
      rows_.reduce(kSum, VectorReduce::kSum, [this](std::size_t tile) {
        return rows_.to_wide_rows(rows_.wide(shifted(tile)), 0, tile);
      });
      if (layer_.logarithm) take_logarithm();
      for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) divide(tile);
    });
  }

 private:
  /// The wide rows of the exponentials: not those that hold the result of the steps.
  std::uint32_t shifted(std::size_t tile) const {
    return rows_.buffer(steps_.size() == 0 ? 0 : 1, tile);
  }
  VectorSource argument(std::size_t tile) const {
    return steps_.size() == 0 ? rows_.input(tile) : rows_.wide(rows_.buffer(0, tile));
  }

  /// The steps alternate between the two buffers so that the last one writes buffer 0.
  void run_steps(std::size_t tile) {
    VectorSource source = rows_.input(tile);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::uint32_t to = rows_.buffer((steps_.size() - 1 - i) % 2, tile);
      Vector vector = rows_.to_wide_rows(source, to, tile);
      steps_.apply(i, rows_.tiles[tile], vector);
      emit(std::move(vector), context_);
      source = rows_.wide(to);
    }
  }

  void shift(std::size_t tile, VectorOp op) {
    Vector vector = rows_.to_wide_rows(argument(tile), shifted(tile), tile);
    vector.combine = VectorCombine::kSub;
    vector.operand = rows_.operand(rows_.statistic(kMaximum));
    vector.op = op;
    emit(std::move(vector), context_);
  }

  void take_logarithm() {
    Vector log = rows_.to_statistic(rows_.wide(rows_.statistic(kSum)), kLogarithm);
    log.op = VectorOp::kLog;
    emit(std::move(log), context_);
    for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) shift(tile, VectorOp::kCopy);
  }

  void divide(std::size_t tile) {
    Vector vector = rows_.to_out(rows_.wide(shifted(tile)), tile);
    vector.combine = layer_.logarithm ? VectorCombine::kSub : VectorCombine::kDiv;
    vector.operand = rows_.operand(rows_.statistic(layer_.logarithm ? kLogarithm : kSum));
    emit(std::move(vector), context_);
  }

  const SoftmaxLayer& layer_;
  LoweringContext& context_;
  RowStatistics rows_;
  LaneSteps steps_;
};

}  // namespace

void lower(const SoftmaxLayer& layer, LoweringContext& context) {
  SoftmaxLowering(layer, context).run();
}

}  // namespace weft::compiler
