// The systolic array, wired register by register like a schematic: R x C PEs of pe/pe.h, each with
// its own push and swap register, and explicit skew, deskew and valid registers. It keeps two
// copies of the whole state and has no optimization. It is the oracle of SteppedArray.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "pe/pe.h"

namespace weft::test {

template <class Arithmetic>
class NaiveArray {
 public:
  using Operand = typename Arithmetic::Operand;
  using Psum = typename Arithmetic::Psum;
  using Registers = PeRegisters<Arithmetic>;

  NaiveArray(std::size_t rows, std::size_t cols)
      : rows_(rows), cols_(cols), pes_(rows * cols), valid_(rows + cols - 1) {
    for (std::size_t r = 0; r < rows; ++r) act_skew_.emplace_back(r);
    for (std::size_t c = 0; c < cols; ++c) weight_skew_.emplace_back(c);
    for (std::size_t c = 0; c < cols; ++c) deskew_.emplace_back(cols - 1 - c);
  }

  /// Performs one clock edge. Returns the result row that was visible before the edge, if any.
  std::optional<std::vector<Psum>> step(const Operand* act_row, const Operand* weight_row,
                                        bool swap) {
    const auto result = visible_result();
    std::vector<Psum> bottom;
    for (std::size_t c = 0; c < cols_; ++c) bottom.push_back(pe(rows_ - 1, c).psum);
    for (std::size_t c = 0; c < cols_; ++c) shift(deskew_[c], bottom[c]);

    std::vector<Act> acts;  // what enters column 0
    for (std::size_t r = 0; r < rows_; ++r) {
      const Act front{act_row == nullptr ? Operand{} : act_row[r], swap};
      acts.push_back(shift(act_skew_[r], front));
    }
    std::vector<Weight> weights;  // what enters row 0
    for (std::size_t c = 0; c < cols_; ++c) {
      const Weight front{weight_row == nullptr ? Operand{} : weight_row[c], weight_row != nullptr};
      weights.push_back(shift(weight_skew_[c], front));
    }
    shift(valid_, Valid{act_row != nullptr});
    clock_pes(acts, weights);
    return result;
  }

  const Registers& pe(std::size_t row, std::size_t col) const { return pes_[row * cols_ + col]; }

 private:
  struct Act {
    Operand value{};
    bool swap = false;
  };
  struct Valid {
    bool row = false;
  };
  struct Weight {
    Operand value{};
    bool push = false;
  };

  /// Shifts `in` into the chain and returns what leaves it. An empty chain returns `in` itself.
  template <class T>
  static T shift(std::vector<T>& chain, T in) {
    if (chain.empty()) return in;
    const T out = chain.back();
    std::shift_right(chain.begin(), chain.end(), 1);
    chain.front() = in;
    return out;
  }

  std::optional<std::vector<Psum>> visible_result() const {
    if (!valid_.back().row) return std::nullopt;
    std::vector<Psum> row;
    for (std::size_t c = 0; c < cols_; ++c) {
      row.push_back(deskew_[c].empty() ? pe(rows_ - 1, c).psum : deskew_[c].back());
    }
    return row;
  }

  void clock_pes(const std::vector<Act>& acts, const std::vector<Weight>& weights) {
    std::vector<Registers> next(pes_.size());
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < cols_; ++c) {
        PeInputs<Arithmetic> in;
        in.act = c == 0 ? acts[r].value : pe(r, c - 1).act;
        in.swap = c == 0 ? acts[r].swap : pe(r, c - 1).swap;
        in.weight = r == 0 ? weights[c].value : pe(r - 1, c).weight_out;
        in.push = r == 0 ? weights[c].push : pe(r - 1, c).push;
        in.psum = r == 0 ? Psum{} : pe(r - 1, c).psum;
        next[r * cols_ + c] = clock_edge(pe(r, c), in);
      }
    }
    pes_ = std::move(next);
  }

  std::size_t rows_;
  std::size_t cols_;
  std::vector<Registers> pes_;
  std::vector<std::vector<Act>> act_skew_;
  std::vector<std::vector<Weight>> weight_skew_;
  std::vector<std::vector<Psum>> deskew_;
  std::vector<Valid> valid_;
};

}  // namespace weft::test
