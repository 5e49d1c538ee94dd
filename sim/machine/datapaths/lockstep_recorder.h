// Keeps the last cycles of two datapaths in a ring buffer and writes them as one waveform when the
// datapaths differ.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>

#include "sim/trace/datapath_vcd.h"

namespace weft {

template <class Arithmetic>
class LockstepRecorder {
 public:
  static constexpr std::size_t kCycles = 64;

  LockstepRecorder(std::uint32_t rows, std::uint32_t cols, std::uint64_t clock_hz)
      : rows_(rows), cols_(cols), clock_hz_(clock_hz) {}

  /// Call it before the step of a cycle.
  void begin_cycle(const DatapathInputs<Arithmetic>& inputs, const Datapath<Arithmetic>& expected,
                   const Datapath<Arithmetic>& actual) {
    SnapshotPair& pair = ring_[count_ % kCycles];
    pair.expected.begin(inputs.cycle, inputs, expected);
    pair.actual.begin(inputs.cycle, inputs, actual);
  }

  /// Call it after the step.
  void end_cycle(const std::optional<AccumulatorWrite<Arithmetic>>& expected,
                 const std::optional<AccumulatorWrite<Arithmetic>>& actual) {
    SnapshotPair& pair = ring_[count_ % kCycles];
    pair.expected.finish(expected);
    pair.actual.finish(actual);
    ++count_;
  }

  /// A VCD file of the kept cycles, with the scopes `stepped` and `rtl`.
  std::string waveform() const {
    std::ostringstream out;
    DatapathVcd<Arithmetic> vcd(out, rows_, cols_, clock_hz_, {"stepped", "rtl"});
    for (std::size_t i = count_ - std::min(count_, kCycles); i < count_; ++i) {
      const SnapshotPair& pair = ring_[i % kCycles];
      vcd.add(std::array{&pair.expected, &pair.actual});
    }
    vcd.finish();
    return out.str();
  }

 private:
  struct SnapshotPair {
    DatapathSnapshot<Arithmetic> expected;
    DatapathSnapshot<Arithmetic> actual;
  };

  std::uint32_t rows_;
  std::uint32_t cols_;
  std::uint64_t clock_hz_;
  std::array<SnapshotPair, kCycles> ring_;
  std::size_t count_ = 0;
};

}  // namespace weft
