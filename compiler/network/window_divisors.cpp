#include "compiler/network/window_divisors.h"

#include <set>
#include <vector>

#include "compiler/network/weights.h"

namespace weft::network {
namespace {

// They stay in the unified buffer while the pool runs: a share of it.
constexpr std::uint64_t kShare = 8;

/// A row of C equal words for each column of a line.
graph::Tensor divisors_of(std::int64_t line, const std::vector<std::int64_t>& columns,
                          std::int64_t cols) {
  const auto count = static_cast<std::int64_t>(columns.size());
  graph::Tensor result(graph::DataType::kFloat32, {count * cols});
  const auto out = result.mutable_data<float>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(line * columns[i / static_cast<std::size_t>(cols)]);
  }
  return result;
}

}  // namespace

bool divisors_fit(const WindowLayer& layer, const MachineConfig& config) {
  const std::set<std::int64_t> lines(layer.line_counts.begin(), layer.line_counts.end());
  const std::uint64_t rows = lines.size() * layer.column_counts.size() * config.result_row_rows();
  return rows <= std::uint64_t{config.unified_buffer_kib} * 1024 / config.row_bytes() / kShare;
}

WindowDivisors::WindowDivisors(const WindowLayer& layer, LoweringContext& context)
    : layer_(layer), config_(context.config) {
  const std::int64_t cols = config_.array_cols;
  const std::int64_t words = static_cast<std::int64_t>(layer.column_counts.size()) * cols;
  for (const std::int64_t line : layer.line_counts) {
    if (lines_.contains(line)) continue;
    lines_[line] = context.memory.load_wide_constant(
        words,
        [line, columns = layer.column_counts, cols, words] {
          return pack_words(divisors_of(line, columns, cols), words);
        },
        ElementType::kFloat32);
  }
}

void WindowDivisors::apply(std::int64_t line, std::int64_t column, Vector& vector) const {
  const std::uint32_t base = lines_.at(layer_.line_counts[static_cast<std::size_t>(line)]);
  const std::uint32_t words = config_.result_row_rows();
  vector.combine = VectorCombine::kDiv;
  vector.operand =
      VectorOperand{.row = base + static_cast<std::uint32_t>(column) * words, .step = words};
}

}  // namespace weft::network
