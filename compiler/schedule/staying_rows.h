// The rows of the unified buffer in which sheets and constants stay between layers, given out first
// fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace weft::compiler {

class StayingRows {
 public:
  /// Rows [begin, end) of the unified buffer.
  StayingRows(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}

  /// Takes `rows` rows that stay until release(); nullopt if there is no gap of that size.
  std::optional<std::uint32_t> take(std::uint64_t rows);
  void release(std::uint32_t base);

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // first row -> rows
};

}  // namespace weft::compiler
