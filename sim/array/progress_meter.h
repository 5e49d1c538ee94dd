// Measures the progress of a run that computes values: the share of the program's matmul rows done.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/isa/program.h"

namespace weft {

class ProgressMeter {
 public:
  /// `report` may be empty and must outlive the meter. It is called at most a thousand times, with
  /// a share from 0 to 1.
  ProgressMeter(const Program& program, const std::function<void(double)>& report)
      : report_(report) {
    if (!report_) return;
    for (const Instruction& instruction : program.code) total_ += rows(instruction);
  }

  void done(const Instruction& instruction) {
    if (!report_ || total_ == 0) return;
    const std::uint64_t before = done_ * kSteps / total_;
    done_ += rows(instruction);
    const std::uint64_t after = done_ * kSteps / total_;
    if (after != before) report_(static_cast<double>(after) / kSteps);
  }

 private:
  static constexpr std::uint64_t kSteps = 1000;
  static std::uint64_t rows(const Instruction& instruction) {
    const auto* matmul = std::get_if<Matmul>(&instruction.operation);
    return matmul == nullptr ? 0 : matmul->rows;
  }

  const std::function<void(double)>& report_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace weft
