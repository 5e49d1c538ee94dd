// Runs a check once for each instruction set of this processor, so that the kernels for older
// processors are tested too.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace weft::test {

/// Restricts Highway's choice during its lifetime. Objects created meanwhile keep their kernels.
class ForcedTarget {
 public:
  explicit ForcedTarget(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~ForcedTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

template <class Check>
void on_every_target(Check&& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const ForcedTarget forced(target);
    check();
  }
}

}  // namespace weft::test
