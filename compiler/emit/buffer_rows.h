// Tracks which rows of the unified buffer are taken:
//
//   | margin | sheets that stay between layers (first fit) | staging (a ring) |
//
// The margin keeps row generators above row 0, since their base may lie before the image. Staging
// holds what one layer needs for a short time: chunks of sheets on the host, biases, wide
// intermediate rows. It is used round and round; the dependence tracker makes each new use wait for
// the previous one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace weft::network {

class BufferRows {
 public:
  /// `rows` in all, with `margin` and `staging` rows for these parts.
  BufferRows(std::uint64_t rows, std::uint64_t margin, std::uint64_t staging);

  /// Takes `rows` rows that stay until release(); nullopt if there is no gap of that size.
  std::optional<std::uint32_t> take(std::uint64_t rows);
  void release(std::uint32_t base);

  /// Size of staging: everything that a layer stages between two calls of begin_use() must fit.
  std::uint64_t staging_rows() const { return end_ - staging_; }
  /// Begins a use of `rows` rows. What stage() gives until the next call does not overlap.
  void begin_use(std::uint64_t rows);
  /// Takes `rows` rows of the current use.
  std::uint32_t stage(std::uint64_t rows);

 private:
  std::uint64_t begin_;
  std::uint64_t staging_;
  std::uint64_t end_;
  std::uint64_t next_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // first row -> rows
};

}  // namespace weft::network
