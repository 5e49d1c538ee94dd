// The divisors of an average pool whose windows hold different numbers of elements: at its edges,
// unless padding counts. A window's number is that of its line times that of its column; there are
// wide rows for the columns of a line, once for each number that lines have.
#pragma once

#include <cstdint>
#include <map>

#include "compiler/network/vector_rows.h"

namespace weft::network {

class WindowDivisors {
 public:
  /// Loads them. `layer` has line and column counts, and must outlive this.
  WindowDivisors(const WindowLayer& layer, LoweringContext& context);

  /// Divides the rows of `vector`: windows (line, column), (line, column + 1), ...
  void apply(std::int64_t line, std::int64_t column, Vector& vector) const;

 private:
  const WindowLayer& layer_;
  const MachineConfig& config_;
  std::map<std::int64_t, std::uint32_t> lines_;  // by the line's count: base of its wide rows
};

}  // namespace weft::network
