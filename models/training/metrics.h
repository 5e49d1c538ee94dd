// Quality of a network's answers: cross-entropy and accuracy of logits, in binary64.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/graph/tensor.h"

namespace weft::training {

struct Metrics {
  double loss_sum = 0;
  std::int64_t correct = 0;
  std::int64_t count = 0;

  double loss() const { return loss_sum / static_cast<double>(count); }
  double accuracy() const { return static_cast<double>(correct) / static_cast<double>(count); }
  void add(const Metrics& more);
};

/// Measures the first rows of `logits` [batch, classes] float32, one row per label. A row's loss is
/// log(sum over j of exp(x_j - m)) + m - x_label, where m is its largest logit. Its answer is the
/// first class with that logit. A row with a NaN has a NaN as loss and a wrong answer.
Metrics measure(const graph::Tensor& logits, std::span<const std::int32_t> labels);

}  // namespace weft::training
