#include "compiler/emit/zero_point_sums.h"

#include <utility>
#include <variant>

namespace weft::network {
namespace {

std::optional<std::int32_t> zero_point_of(const ContractionLayer& layer) {
  const auto* weights = std::get_if<ComputedWeights>(&layer.weights);
  return weights == nullptr ? std::nullopt : weights->a_zero;
}

}  // namespace

ZeroPointSums::ZeroPointSums(const ContractionLayer& layer, LoweringContext& context)
    : context_(context), zero_point_(zero_point_of(layer)) {}

std::int64_t ZeroPointSums::sum_rows() const {
  const std::int64_t rows = context_.config.accumulator_rows;
  return any() ? rows - kCorrectionRows : rows;
}

std::uint64_t ZeroPointSums::staging_need() const {
  return any() ? std::uint64_t{kCorrectionRows} * context_.config.result_row_rows() : 0;
}

void ZeroPointSums::begin_use() {
  base_ = context_.memory.rows().stage(staging_need());
}

std::uint32_t ZeroPointSums::accumulator_row(std::int64_t tile) const {
  return static_cast<std::uint32_t>(sum_rows() + tile % kCorrectionRows);
}

void ZeroPointSums::add(std::int64_t tile, bool accumulate) {
  Matmul matmul;
  matmul.ub.bounds[0] = {.origin = -1, .step = 0, .limit = 1};
  matmul.ub.pad = static_cast<std::uint8_t>(*zero_point_);
  matmul.acc = accumulator_row(tile);
  matmul.accumulate = accumulate;
  matmul.next_weights = false;
  context_.stream.emit(matmul);
  context_.info.issued_macs +=
      std::uint64_t{context_.config.array_rows} * context_.config.array_cols;
}

std::uint32_t ZeroPointSums::negate(std::int64_t tile) {
  const std::uint32_t row = base_ + static_cast<std::uint32_t>(tile % kCorrectionRows) *
                                        context_.config.result_row_rows();
  Vector vector;
  vector.op = VectorOp::kNeg;
  vector.acc = accumulator_row(tile);
  vector.ub = row;
  context_.info.vector_rows += vector.rows;
  context_.stream.emit(std::move(vector));
  return row;
}

}  // namespace weft::network
