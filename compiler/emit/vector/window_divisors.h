// The divisors of an average pool whose windows hold different numbers of elements: at the edges,
// unless padding counts. A window's divisor is the count of its line times the count of its column.
// For each distinct line count there is a wide row (32-bit words) per column.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/emit/vector/vector_rows.h"

namespace weft::compiler {

class WindowDivisors {
 public:
  /// `layer` has line and column counts, and must outlive this.
  WindowDivisors(const WindowLayer& layer, LoweringContext& context);

  /// Must be called for each use of staging (StagingRing::begin_use()).
  void begin_use() { rows_.begin_use(); }
  /// Divides the rows of `vector`: windows (line, column), (line, column + 1), ...
  void apply(std::int64_t line, std::int64_t column, Vector& vector);

 private:
  const WindowLayer& layer_;
  const MachineConfig& config_;
  std::vector<std::int64_t> lines_;  // the distinct line counts; each has a block of rows
  LayerConstant rows_;
};

}  // namespace weft::compiler
