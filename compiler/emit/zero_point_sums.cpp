#include "compiler/emit/zero_point_sums.h"

#include <utility>

namespace weft::compiler {
ZeroPointSums::ZeroPointSums(const ContractionLayer& layer, LoweringContext& context)
    : context_(context),
      zero_point_(corrected_zero_point(layer)),
      first_row_(sum_rows(layer, context.config)),
      need_(correction_need(layer, context.config)) {}

void ZeroPointSums::begin_use() {
  base_ = context_.memory.staging().stage(need_);
}

std::uint32_t ZeroPointSums::accumulator_row(std::int64_t tile) const {
  return static_cast<std::uint32_t>(first_row_ + tile % kCorrectionRows);
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

}  // namespace weft::compiler
