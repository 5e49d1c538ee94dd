#include "runtime/layer_results.h"

#include <algorithm>
#include <cstdint>

namespace weft::runtime {
namespace {

std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace

LayerResults::LayerResults(const compiler::MachineStep& step, const MachineConfig& config)
    : step_(step), config_(config), sheets_(step.results.size()) {
  for (std::size_t layer = 0; layer < step.results.size(); ++layer) {
    const std::vector<compiler::ResultRows>& rows = step.results[layer].rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].base) resident_.emplace(rows[i].done_by, std::pair(layer, i));
    }
  }
}

void LayerResults::done(std::size_t index, const UnifiedBuffer& buffer) {
  const auto [begin, end] = resident_.equal_range(index);
  for (auto at = begin; at != end; ++at) {
    const auto [layer, i] = at->second;
    take(layer, step_.results[layer].rows[i], buffer);
  }
}

const Matrix& LayerResults::sheet(std::size_t layer,
                                  const std::function<const Matrix&(std::size_t tensor)>& matrix) {
  for (const compiler::ResultRows& rows : step_.results[layer].rows) {
    if (!rows.tensor) continue;
    const Matrix& from = matrix(*rows.tensor);
    if (from.rows() == unsigned_of(step_.results[layer].size.rows)) return from;
    for (std::int64_t row = 0; row < rows.count; ++row) {
      std::ranges::copy(from.row_from(unsigned_of(rows.tensor_row + row), 0),
                        sheet_of(layer).row_from(unsigned_of(rows.first + row), 0).begin());
    }
  }
  return sheet_of(layer);
}

Matrix& LayerResults::sheet_of(std::size_t layer) {
  Matrix& sheet = sheets_[layer];
  const compiler::SheetSize& size = step_.results[layer].size;
  if (sheet.rows() == 0) {
    sheet = Matrix(config_.dtype, unsigned_of(size.rows), unsigned_of(size.channels));
  }
  return sheet;
}

void LayerResults::take(std::size_t layer, const compiler::ResultRows& rows,
                        const UnifiedBuffer& buffer) {
  if (step_.results[layer].value == graph::kNoValue) return;
  Matrix& sheet = sheet_of(layer);
  const std::uint64_t width = config_.array_rows;
  for (std::uint64_t first = 0; first < sheet.cols(); first += width) {
    const std::uint64_t plane = *rows.base + first / width * unsigned_of(rows.plane_rows);
    const std::size_t bytes = std::min(width, sheet.cols() - first) * element_bytes(config_.dtype);
    for (std::uint64_t row = 0; row < unsigned_of(rows.count); ++row) {
      std::ranges::copy(buffer.row(plane + row).first(bytes),
                        sheet.row_from(unsigned_of(rows.first) + row, first).begin());
    }
  }
}

}  // namespace weft::runtime
