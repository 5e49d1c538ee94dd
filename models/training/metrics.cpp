#include "models/training/metrics.h"

#include <algorithm>
#include <cmath>

namespace weft::training {
namespace {

double row_loss(std::span<const float> row, std::size_t label) {
  const double largest = *std::ranges::max_element(row);
  double sum = 0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit) - largest);
  return std::log(sum) + largest - static_cast<double>(row[label]);
}

}  // namespace

void Metrics::add(const Metrics& more) {
  loss_sum += more.loss_sum;
  correct += more.correct;
  count += more.count;
}

Metrics measure(const graph::Tensor& logits, std::span<const std::int32_t> labels) {
  const auto classes = static_cast<std::size_t>(logits.shape().back());
  const std::span<const float> all = logits.data<float>();
  Metrics metrics;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::span<const float> row = all.subspan(i * classes, classes);
    const auto label = static_cast<std::size_t>(labels[i]);
    const auto answer = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    const double loss = row_loss(row, label);
    metrics.loss_sum += loss;
    metrics.correct += answer == label && !std::isnan(loss) ? 1 : 0;
    ++metrics.count;
  }
  return metrics;
}

}  // namespace weft::training
