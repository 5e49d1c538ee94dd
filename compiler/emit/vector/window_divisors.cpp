#include "compiler/emit/vector/window_divisors.h"

#include <algorithm>

#include "compiler/blocks/constant_rows.h"
#include "compiler/emit/weights.h"

namespace weft::compiler {
namespace {

/// For each line count, a row of C equal words for each column.
graph::Tensor divisors_of(const std::vector<std::int64_t>& lines,
                          const std::vector<std::int64_t>& columns, std::int64_t cols) {
  const auto count = static_cast<std::int64_t>(lines.size() * columns.size());
  graph::Tensor result(graph::DataType::kFloat32, {count * cols});
  const auto out = result.mutable_data<float>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(cols);
    out[i] = static_cast<float>(lines[row / columns.size()] * columns[row % columns.size()]);
  }
  return result;
}

LayerConstant load_divisors(const std::vector<std::int64_t>& lines,
                            const std::vector<std::int64_t>& columns, LoweringContext& context) {
  const std::int64_t cols = context.config.array_cols;
  const std::int64_t words = static_cast<std::int64_t>(lines.size() * columns.size()) * cols;
  const std::uint64_t host = context.memory.add_wide_constant(
      words,
      [lines, columns, cols, words] {
        return pack_words(divisors_of(lines, columns, cols), words);
      },
      ElementType::kFloat32);
  return {context.memory, host, context.next_constant()};
}

}  // namespace

WindowDivisors::WindowDivisors(const WindowLayer& layer, LoweringContext& context)
    : layer_(layer),
      config_(context.config),
      lines_(different_line_counts(layer)),
      rows_(load_divisors(lines_, layer.column_counts, context)) {}

void WindowDivisors::apply(std::int64_t line, std::int64_t column, Vector& vector) {
  const std::int64_t count = layer_.line_counts[static_cast<std::size_t>(layer_.first_line + line)];
  const auto found = std::ranges::lower_bound(lines_, count);
  const std::uint32_t base = rows_.rows_of(static_cast<std::uint32_t>(found - lines_.begin()));
  const std::uint32_t words = config_.result_row_rows();
  vector.combine = VectorCombine::kDiv;
  vector.operand =
      VectorOperand{.row = base + static_cast<std::uint32_t>(column) * words, .step = words};
}

}  // namespace weft::compiler
