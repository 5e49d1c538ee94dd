#include "compiler/segments/lines/line_costs.h"

#include <algorithm>

#include "compiler/rows/ceil_div.h"
#include "compiler/segments/lines/joined_lines.h"

namespace weft::compiler {
namespace {

/// Rows of a chunk of this many times the array's rows are usual. The estimate does not ask how
/// many the accumulators hold, so that a machine with more has the layers of one with fewer.
constexpr std::int64_t kChunk = 8;

/// Rows that the vector unit writes into the border of the result.
std::int64_t padded(const ImageConvolution& conv, const ImageLines& lines) {
  const std::int64_t ends =
      (lines.border > 0 ? 1 : 0) + (lines.border_after(conv.lines.output) > 0 ? 1 : 0);
  return ends * conv.columns.output;
}

}  // namespace

/// Cycles of a fetch, which the images of a large batch share.
double LineCosts::tile_fetch() const {
  if (config_.memory_kind == MemoryKind::kIdeal || options_.joined_lines) return 0;
  return static_cast<double>(config_.tile_bytes()) * static_cast<double>(config_.clock_hz) /
         static_cast<double>(config_.memory_bytes_per_s);
}

double LineCosts::leaving() const {
  if (config_.memory_kind == MemoryKind::kIdeal) return 0;
  const bool sums = config_.dtype != ElementType::kInt8;
  const bool split = config_.memory_kind == MemoryKind::kSplit;
  const std::uint64_t rate = split ? config_.host_bytes_per_s : config_.memory_bytes_per_s;
  const std::uint64_t bytes =
      config_.row_bytes() * std::uint64_t{sums ? config_.result_row_rows() : 1};
  return static_cast<double>(bytes) * static_cast<double>(config_.clock_hz) /
         static_cast<double>(rate);
}

/// Cycles of `count` tiles that meet `rows` rows each.
double LineCosts::folds(std::int64_t count, std::int64_t rows) const {
  const std::int64_t chunk = kChunk * config_.array_rows;
  const auto chunks = static_cast<double>(ceil_div(rows, chunk));
  const double pushes = chunks * config_.array_rows;
  return static_cast<double>(count) *
         std::max({static_cast<double>(rows), pushes, chunks * tile_fetch()});
}

double LineCosts::cycles(const ImageConvolution& conv, JoinedLines lines) const {
  if (!can_join(conv.lines, lines)) lines.in = {};
  const graph::WindowDim y = joined_window(conv.lines, lines);
  const std::int64_t rows = y.output * conv.columns.output;
  const std::int64_t array_rows = config_.array_rows;
  const std::int64_t columns = ceil_div(lines.out.lanes(conv.n), std::int64_t{config_.array_cols});
  const std::int64_t planes = ceil_div(lines.in.lanes(conv.k), array_rows);
  const std::int64_t taps = y.kernel * conv.columns.kernel;
  const auto drained = static_cast<double>(rows * columns + padded(conv, lines.out));
  if (conv.from_host) {
    const std::int64_t packed = ceil_div(taps * conv.k, array_rows);
    const std::int64_t count = std::min(packed, taps * planes);
    return std::max(folds(count * columns, rows), drained) +
           static_cast<double>(packed * rows);  // the load writes a row a cycle
  }
  if (lines.any()) {
    // Slices begin a plane each, or as many planes hold one slice.
    const std::int64_t apart = joined_groups(conv.k, conv.n, conv.groups, lines);
    const std::int64_t met = apart == 1 ? planes * columns : std::max(planes, columns);
    return std::max(folds(taps * met, rows), drained);
  }
  const std::int64_t line = conv.columns.kernel;
  const bool one_tile = columns == 1 && line * conv.k <= array_rows;
  const bool fits = line > 1 && (conv.groups == 1 || (conv.is_depthwise() && one_tile));
  const std::int64_t apart = conv.is_depthwise() ? std::max(columns, planes) : planes * columns;
  double best = std::max(folds(taps * apart, rows), drained);
  if (fits) {
    const std::int64_t packed = y.kernel * ceil_div(line * conv.k, array_rows);
    const auto copied = static_cast<double>(y.input * conv.columns.output * line);
    best = std::min(best, std::max(folds(packed * columns, rows), drained + copied));
  }
  if (conv.is_depthwise()) best = std::min(best, on_both_units(taps, columns, rows));
  return best;
}

/// Cycles of a depthwise convolution. If the array is square, it takes some tiles of channels and
/// the vector unit the others; else the vector unit takes all.
double LineCosts::on_both_units(std::int64_t taps, std::int64_t tiles, std::int64_t rows) const {
  const auto lanes = static_cast<double>((taps + 1) * rows);
  double best = static_cast<double>(tiles) * lanes;
  if (config_.array_rows != config_.array_cols) return best;
  for (std::int64_t on_array = 1; on_array < tiles; ++on_array) {
    best = std::min(best, std::max(folds(taps * on_array, rows),
                                   static_cast<double>(tiles - on_array) * lanes));
  }
  return best;
}

double LineCosts::cycles(const ImageMaxPool& pool, const std::optional<JoinedLines>& lines) const {
  const std::int64_t lanes = config_.array_cols;
  const std::int64_t results = pool.lines.output * pool.columns.output;
  if (!lines) {
    return static_cast<double>(results * pool.lines.kernel * pool.columns.kernel *
                               ceil_div(pool.channels, lanes));
  }
  const std::int64_t rows = pool.lines.input / lines->in.joined * pool.columns.output;
  return static_cast<double>(rows * pool.columns.kernel *
                                 ceil_div(lines->in.joined * pool.channels, lanes) +
                             results * std::max<std::int64_t>(1, pool.lines.kernel - 1));
}

}  // namespace weft::compiler
