// Dynamic loss scaling for binary16, whose smallest number is 6e-8: the loss is multiplied by a
// power of two so that small gradients survive, and the optimiser divides it out again. Gradients
// that overflow say that the factor is too large: the step is left out and the factor halved. After
// 2000 steps in a row without overflow it is doubled. bf16 has binary32's exponents and needs none.
//
// Source: Micikevicius et al., Mixed Precision Training, 2018.
#pragma once

#include <cstdint>

namespace weft::training {

struct LossScale {
  static constexpr double kFirst = 65536;
  static constexpr double kLargest = 16777216;  // 2^24
  static constexpr std::uint64_t kPatience = 2000;

  double factor = kFirst;
  std::uint64_t good_steps = 0;  // in a row
  std::uint64_t skipped = 0;     // steps left out, of all

  /// After a step of which all gradients are finite.
  void accept() {
    if (++good_steps < kPatience) return;
    good_steps = 0;
    if (factor < kLargest) factor *= 2;
  }
  /// After a step that was left out. False if the factor is 1 already: then it is not to blame.
  bool reject() {
    good_steps = 0;
    if (factor <= 1) return false;
    factor /= 2;
    ++skipped;
    return true;
  }

  friend bool operator==(const LossScale&, const LossScale&) = default;
};

}  // namespace weft::training
