// A datapath for recording, made of SteppedArray and plain accumulators. Also random activity with
// pauses, and the values that its recording must show, computed by NaiveArray.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "sim/array/datapath.h"
#include "sim/array/stepped_array.h"
#include "sim/trace/datapath_snapshot.h"
#include "tests/array/naive_array.h"

namespace weft::test {

template <class Arithmetic>
class RecordedDatapath : public Datapath<Arithmetic> {
 public:
  using Base = Datapath<Arithmetic>;
  using Psum = typename Arithmetic::Psum;
  using Operand = typename Arithmetic::Operand;

  RecordedDatapath(std::uint32_t rows, std::uint32_t cols)
      : rows_(rows), cols_(cols), array_(rows, cols) {}

  std::uint32_t rows() const override { return rows_; }
  std::uint32_t cols() const override { return cols_; }

  std::optional<typename Base::Write> step(const typename Base::Inputs& in) override {
    const std::vector<Operand> acts = widened(in.act_row, rows_);
    const std::vector<Operand> weights = widened(in.weight_row, cols_);
    if (in.act_row != nullptr) destinations_.push_back({in.acc_row, in.accumulate});
    const auto sums =
        array_.step({.act_row = in.act_row == nullptr ? nullptr : acts.data(),
                     .weight_row = in.weight_row == nullptr ? nullptr : weights.data(),
                     .swap = in.swap});
    if (sums.empty()) return std::nullopt;
    const auto [row, accumulate] = destinations_.front();
    destinations_.pop_front();
    std::vector<Psum>& stored = stored_row(row);
    for (std::size_t c = 0; c < cols_; ++c) {
      stored[c] = accumulate ? Arithmetic::add(stored[c], sums[c]) : sums[c];
    }
    return typename Base::Write{.row = row, .sums = stored};
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    return array_.registers(row, col);
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override { return stored_row(row); }

 private:
  static std::vector<Operand> widened(const typename Arithmetic::Element* row,
                                      std::uint32_t count) {
    std::vector<Operand> operands(row == nullptr ? 0 : count);
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = Arithmetic::widen(row[i]);
    return operands;
  }

  std::vector<Psum>& stored_row(std::uint32_t row) {
    return accumulators_.try_emplace(row, cols_).first->second;
  }

  struct Destination {
    std::uint32_t row;
    bool accumulate;
  };

  std::uint32_t rows_;
  std::uint32_t cols_;
  SteppedArray<Arithmetic> array_;
  std::deque<Destination> destinations_;
  std::map<std::uint32_t, std::vector<Psum>> accumulators_;
};

/// One cycle: the array's inputs as bit patterns, and the values that the dump must show.
template <class Arithmetic>
struct ExpectedCycle {
  Cycle cycle = 0;
  std::optional<std::vector<std::uint16_t>> acts;
  std::optional<std::vector<std::uint16_t>> weights;
  bool swap = false;
  std::uint32_t acc_row = 0;
  bool accumulate = false;
  std::vector<PeRegisters<Arithmetic>> registers;                // of NaiveArray, during the cycle
  std::optional<std::vector<typename Arithmetic::Psum>> result;  // of NaiveArray, not accumulated
};

/// A random run: rows, pushes and swaps in any combination. With `pauses`, inputs sometimes stop
/// until all registers stand still; the cycle number then jumps.
template <class Arithmetic>
class RandomActivity {
 public:
  using Operand = typename Arithmetic::Operand;

  RandomActivity(std::uint32_t rows, std::uint32_t cols, std::uint64_t seed, bool pauses)
      : rows_(rows), cols_(cols), random_(seed), pauses_(pauses), naive_(rows, cols) {}

  ExpectedCycle<Arithmetic> next() {
    if (quiet_ == 0 && pauses_ && random_() % 24 == 0) quiet_ = 3 * (rows_ + cols_);
    ExpectedCycle<Arithmetic> now;
    now.cycle = cycle_++;
    if (quiet_ == 0) choose_inputs(now);
    for (std::uint32_t r = 0; r < rows_; ++r) {
      for (std::uint32_t c = 0; c < cols_; ++c) now.registers.push_back(naive_.pe(r, c));
    }
    const auto acts = operands(now.acts);
    const auto weights = operands(now.weights);
    now.result = naive_.step(now.acts ? acts.data() : nullptr,
                             now.weights ? weights.data() : nullptr, now.swap);
    if (quiet_ == 1) cycle_ += static_cast<Cycle>(random_() % 4 * 1000);
    quiet_ -= quiet_ > 0 ? 1 : 0;
    return now;
  }

 private:
  void choose_inputs(ExpectedCycle<Arithmetic>& now) {
    if (random_() % 2 == 0) now.acts = random_patterns(rows_);
    if (random_() % 2 == 0) now.weights = random_patterns(cols_);
    now.swap = random_() % 4 == 0;
    now.acc_row = static_cast<std::uint32_t>(random_() % 5);
    now.accumulate = random_() % 2 == 0;
  }

  // Mostly small numbers, because every sum would soon be NaN otherwise; now and then any pattern.
  std::vector<std::uint16_t> random_patterns(std::uint32_t count) {
    std::vector<std::uint16_t> patterns(count);
    for (auto& pattern : patterns) {
      pattern = static_cast<std::uint16_t>(random_());
      if (random_() % 256 != 0) pattern = static_cast<std::uint16_t>(pattern & 0xBFFFU);
    }
    return patterns;
  }

  static std::vector<Operand> operands(const std::optional<std::vector<std::uint16_t>>& patterns) {
    std::vector<Operand> values(patterns ? patterns->size() : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = Arithmetic::widen(Arithmetic::from_bits((*patterns)[i]));
    }
    return values;
  }

  std::uint32_t rows_;
  std::uint32_t cols_;
  std::mt19937_64 random_;
  bool pauses_;
  NaiveArray<Arithmetic> naive_;
  Cycle cycle_ = 0;
  std::uint32_t quiet_ = 0;
};

/// Clocks `datapath` through the cycle `now` and takes its snapshot.
template <class Arithmetic>
void clock_and_record(RecordedDatapath<Arithmetic>& datapath, const ExpectedCycle<Arithmetic>& now,
                      DatapathSnapshot<Arithmetic>& snapshot) {
  using Element = typename Arithmetic::Element;
  const auto elements = [](const std::optional<std::vector<std::uint16_t>>& patterns) {
    std::vector<Element> row(patterns ? patterns->size() : 0);
    if (patterns) std::ranges::transform(*patterns, row.begin(), Arithmetic::from_bits);
    return row;
  };
  const std::vector<Element> acts = elements(now.acts);
  const std::vector<Element> weights = elements(now.weights);
  const DatapathInputs<Arithmetic> inputs{.act_row = now.acts ? acts.data() : nullptr,
                                          .weight_row = now.weights ? weights.data() : nullptr,
                                          .swap = now.swap,
                                          .acc_row = now.acc_row,
                                          .accumulate = now.accumulate};
  snapshot.begin(now.cycle, inputs, datapath);
  snapshot.finish(datapath.step(inputs));
}

}  // namespace weft::test
