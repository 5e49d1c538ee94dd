// The divisors of an average pool whose windows hold different numbers of elements: at its edges,
// unless padding counts. A window's number is that of its line times that of its column; there are
// wide rows for the columns of a line, once for each number that lines have.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/network/vector_rows.h"

namespace weft::network {

class WindowDivisors {
 public:
  /// `layer` has line and column counts, and must outlive this.
  WindowDivisors(const WindowLayer& layer, LoweringContext& context);

  /// Rows of staging that begin_use() takes.
  std::uint64_t staging_need() const { return rows_.staging_need(); }
  /// To be called for each use of staging (BufferRows::begin_use()).
  void begin_use() { rows_.begin_use(); }
  /// Divides the rows of `vector`: windows (line, column), (line, column + 1), ...
  void apply(std::int64_t line, std::int64_t column, Vector& vector);

 private:
  const WindowLayer& layer_;
  const MachineConfig& config_;
  std::vector<std::int64_t> lines_;  // the different counts of lines, a block of rows each
  LayerConstant rows_;
};

}  // namespace weft::network
