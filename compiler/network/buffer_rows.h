// Which unified-buffer rows are taken. Two regions:
//
//   | margin | sheets that stay between layers (first fit) | staging (a ring) |
//
// The margin keeps row generators, whose base may lie before the image, above row 0. Staging holds
// what one layer needs only for a while: chunks of sheets that lie with the host, biases, wide
// intermediate rows. It is reused round and round; the dependence tracker makes each new use wait
// for the last.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace weft::network {

class BufferRows {
 public:
  /// `rows` in all; `margin` and `staging` of them as above.
  BufferRows(std::uint64_t rows, std::uint64_t margin, std::uint64_t staging);

  /// Takes `rows` rows that stay until release(); nothing if there is no gap of that size.
  std::optional<std::uint32_t> take(std::uint64_t rows);
  void release(std::uint32_t base);

  /// Rows that one layer may stage at a time: all staging that it asks for between two calls of
  /// begin_use() must fit.
  std::uint64_t staging_rows() const { return end_ - staging_; }
  /// What stage() gives from here on must not overlap until the next call.
  void begin_use(std::uint64_t rows);
  /// `rows` rows of the use that began.
  std::uint32_t stage(std::uint64_t rows);

 private:
  std::uint64_t begin_;
  std::uint64_t staging_;
  std::uint64_t end_;
  std::uint64_t next_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // first row -> rows
};

}  // namespace weft::network
