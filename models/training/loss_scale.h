// Dynamic loss scaling for binary16, whose smallest number is 6e-8. The loss is multiplied by a
// power of two, so that small gradients survive; the optimizer divides by it again. If gradients
// overflow, the factor is too large: the step is skipped and the factor halved. After 2000 steps in
// a row without overflow, the factor is doubled. bf16 has binary32's exponents and needs no
// scaling.
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
  std::uint64_t skipped = 0;     // skipped steps in total

  /// Call after a step with finite gradients only.
  void accept() {
    if (++good_steps < kPatience) return;
    good_steps = 0;
    if (factor < kLargest) factor *= 2;
  }
  /// Call after a step with gradients that are not finite. Returns false if the factor is already
  /// 1: then it is not the cause.
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
