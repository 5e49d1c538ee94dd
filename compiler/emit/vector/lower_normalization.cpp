// Normalization along the channels:
//
//   u = sum(x / n);  d_t = x_t - u;  s = sqrt((sum(d*d) + n * eps) / n);  out_t = d_t / s * g + b
//
// u and s are wide rows with the same number in every lane. The division by n is part of the pass
// that sums x, and n * eps is the bias of the one pass from the sum of squares to s.
#include <optional>
#include <utility>

#include "compiler/emit/vector/row_statistics.h"
#include "compiler/emit/weights.h"

namespace weft::compiler {
namespace {

/// A constant row [1, C] with the number in every lane.
LayerConstant load_number(float number, LoweringContext& context) {
  return load_floats([number] { return graph::Tensor::scalar(number); },
                     std::int64_t{context.config.array_cols}, context);
}

/// The passes of a normalization, in the order of the comment at the top.
class NormalizationLowering {
 public:
  NormalizationLowering(const NormalizationLayer& layer, LoweringContext& context)
      : layer_(layer),
        context_(context),
        rows_(layer, context),
        count_(load_number(static_cast<float>(layer.channels), context)),
        epsilon_(load_number(static_cast<float>(layer.channels) * layer.epsilon, context)) {
    if (layer.scale) scale_ = load_floats(layer.scale, layer.channels, context);
    if (layer.bias) bias_ = load_floats(layer.bias, layer.channels, context);
    rows_.use(count_);
    rows_.use(epsilon_);
    if (scale_) rows_.use(*scale_);
    if (bias_) rows_.use(*bias_);
  }

  void run() {
    rows_.for_each_chunk(layer_, nullptr, [this] {
      mean();
      deviations();
      deviation_of_rows();
      results();
    });
  }

 private:
  void combine(Vector vector, VectorCombine how, VectorOperand with,
               VectorOp op = VectorOp::kCopy) {
    vector.combine = how;
    vector.operand = with;
    vector.op = op;
    emit(std::move(vector), context_);
  }

  // statistic 0 = mean
  void mean() {
    rows_.reduce(0, VectorReduce::kSum, [this](std::size_t tile) {
      Vector vector = rows_.to_wide_rows(rows_.input(tile), 0, tile);
      vector.combine = VectorCombine::kDiv;
      vector.operand = constant_operand(count_.rows_of(0));
      return vector;
    });
  }

  // buffer 0 = x - mean
  void deviations() {
    for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) {
      combine(rows_.to_wide_rows(rows_.input(tile), rows_.buffer(0, tile), tile),
              VectorCombine::kSub, rows_.operand(rows_.statistic(0)));
    }
  }

  // statistic 0 = sqrt(variance + epsilon), from the sum of squares in statistic 1
  void deviation_of_rows() {
    rows_.reduce(1, VectorReduce::kSum, [this](std::size_t tile) {
      Vector vector = rows_.to_wide_rows(rows_.wide(rows_.buffer(0, tile)), 0, tile);
      vector.combine = VectorCombine::kMul;
      vector.operand = rows_.operand(rows_.buffer(0, tile));
      return vector;
    });
    Vector vector = rows_.to_statistic(rows_.wide(rows_.statistic(1)), 0);
    vector.has_bias = true;
    vector.bias = epsilon_.rows_of(0);
    combine(std::move(vector), VectorCombine::kDiv, constant_operand(count_.rows_of(0)),
            VectorOp::kSqrt);
  }

  // The steps alternate between the two buffers; the last one writes the result.
  void results() {
    struct ScaleStep {
      VectorCombine combine;
      LayerConstant* constant = nullptr;
    };
    std::vector<ScaleStep> steps = {{VectorCombine::kDiv, nullptr}};
    if (scale_) steps.push_back({VectorCombine::kMul, &*scale_});
    if (bias_) steps.push_back({VectorCombine::kAdd, &*bias_});
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t tile = 0; tile < rows_.tiles.size(); ++tile) {
        const VectorSource source = rows_.wide(rows_.buffer(i % 2, tile));
        const bool last = i + 1 == steps.size();
        const VectorOperand operand =
            steps[i].constant != nullptr
                ? constant_operand(steps[i].constant->rows_of(static_cast<std::uint32_t>(tile)))
                : rows_.operand(rows_.statistic(0));
        combine(last ? rows_.to_out(source, tile)
                     : rows_.to_wide_rows(source, rows_.buffer((i + 1) % 2, tile), tile),
                steps[i].combine, operand);
      }
    }
  }

  const NormalizationLayer& layer_;
  LoweringContext& context_;
  RowStatistics rows_;
  LayerConstant count_;
  LayerConstant epsilon_;
  std::optional<LayerConstant> scale_;
  std::optional<LayerConstant> bias_;
};

}  // namespace

void lower(const NormalizationLayer& layer, LoweringContext& context) {
  NormalizationLowering(layer, context).run();
}

}  // namespace weft::compiler
