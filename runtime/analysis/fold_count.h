// What the folds of one contraction are, read from its instructions in program order: how many, how
// long, and which of their rows lie outside the image.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/sliding_window.h"
#include "compiler/mapping/tiling_plan.h"
#include "runtime/analysis/contraction_shape.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// Rows of `matmul` outside the image, which the row generator pads.
std::uint64_t padded_rows(const Matmul& matmul);

class FoldCount {
 public:
  /// `config` must outlive the count.
  explicit FoldCount(const MachineConfig& config) : config_(config) {}

  /// The program's next instruction.
  void add(const Instruction& instruction);

  /// Tiles swapped in.
  std::uint64_t folds() const { return folds_; }
  /// Rows of the longest matmul, which streams the largest chunk.
  std::uint64_t most_rows() const { return most_rows_; }
  /// The array span of docs/timing.md for folds of different lengths. There must be a fold.
  FormulaTerms formula() const;

 private:
  std::uint64_t drain() const;

  const MachineConfig& config_;
  std::uint64_t folds_ = 0;
  std::uint64_t most_rows_ = 0;
  std::uint64_t rows_ = 0;   // of the current fold
  std::uint64_t steps_ = 0;  // of the folds before it
};

FoldCount count_folds(const MachineConfig& config, const Program& program);

/// Counts, for each tap, the rows of the result for which the tap lies outside the image.
class BorderRows {
 public:
  /// `shape` and `config` must outlive this.
  BorderRows(const ContractionShape& shape, const MachineConfig& config);

  /// The program's next instruction. The program's weights begin with tile 0.
  void add(const Instruction& instruction);
  /// For each tap.
  const std::vector<std::uint64_t>& rows() const { return rows_; }

 private:
  const ContractionShape& shape_;
  const MachineConfig& config_;
  SlidingWindow<std::uint64_t> tiles_;  // fetched, not taken
  std::uint64_t tile_ = 0;              // in the array
  // Every tile of a tap meets the same border, so one tile of each tap is counted.
  std::map<std::uint64_t, std::uint64_t> counted_;
  std::vector<std::uint64_t> rows_;
};

}  // namespace weft::runtime
