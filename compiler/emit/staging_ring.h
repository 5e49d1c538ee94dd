// The rows of staging while a program is written. Layers use them round and round; the dependence
// tracker makes each new use wait for the previous one.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>

#include "compiler/program/schedule.h"

namespace weft::compiler {

class StagingRing {
 public:
  explicit StagingRing(const BufferParts& parts) : parts_(parts), next_(parts.staging) {}

  std::uint64_t rows() const { return parts_.staging_rows(); }
  /// Begins a use of `rows` rows, at most all of staging. What stage() gives until the next call
  /// does not overlap.
  void begin_use(std::uint64_t rows) {
    assert(rows <= parts_.staging_rows());
    if (parts_.end - next_ >= rows) return;
    next_ = parts_.staging;
    wrapped_ = true;
  }
  /// The next use gets the first rows again.
  void restart() {
    most_ = std::max(most_, next_);
    next_ = parts_.staging;
  }
  /// Takes `rows` rows of the current use and returns the first.
  std::uint32_t stage(std::uint64_t rows) {
    assert(parts_.end - next_ >= rows);
    const auto base = static_cast<std::uint32_t>(next_);
    next_ += rows;
    return base;
  }
  /// The most rows taken between restarts; nullopt if some were taken again. A larger ring would
  /// then give others.
  std::optional<std::uint64_t> rows_taken_once() const {
    return wrapped_ ? std::nullopt : std::optional(std::max(most_, next_) - parts_.staging);
  }

 private:
  BufferParts parts_;
  std::uint64_t next_;
  std::uint64_t most_ = 0;  // `next_` before a restart
  bool wrapped_ = false;
};

}  // namespace weft::compiler
