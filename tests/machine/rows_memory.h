// A host memory for programs without tensors. It keeps the stored rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "sim/memory/host_memory.h"
#include "tests/machine/random_program.h"

namespace weft::testing {

/// Returns stored rows. For other rows it returns bytes that depend only on the row number.
class RowsMemory : public HostMemory {
 public:
  explicit RowsMemory(std::size_t row_bytes) : row_bytes_(row_bytes) {}

  void read_rows(std::uint64_t host_row, std::span<std::byte> out) const override {
    for (; !out.empty(); out = out.subspan(row_bytes_), ++host_row) {
      const auto known = rows.find(host_row);
      if (known == rows.end()) {
        fill(host_row, out.first(row_bytes_));
      } else {
        std::ranges::copy(known->second, out.begin());
      }
    }
  }
  void read_tile(std::uint64_t tile, std::span<std::byte> out) const override {
    fill(tile + 1'000'000, out);
  }
  void write_rows(std::uint64_t host_row, std::span<const std::byte> in) override {
    for (; !in.empty(); in = in.subspan(row_bytes_), ++host_row) {
      rows[host_row].assign(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(row_bytes_));
    }
  }

  std::map<std::uint64_t, std::vector<std::byte>> rows;

 private:
  static void fill(std::uint64_t seed, std::span<std::byte> out) {
    Random random(seed);
    for (std::byte& byte : out) byte = static_cast<std::byte>(random.bits());
  }

  std::size_t row_bytes_;
};

}  // namespace weft::testing
