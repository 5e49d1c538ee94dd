// How far the outputs of one network are from those of another, summed over runs. This measures
// what quantizing costs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/network_runner.h"

namespace weft::runtime {

/// Statistics of one float32 output over all runs.
struct OutputAgreement {
  double largest_error = 0;
  double largest_value = 0;
  double error_sum = 0;  // sums of magnitudes
  double value_sum = 0;
  std::uint64_t rows = 0;  // counted only for outputs [N, classes]
  std::uint64_t same_top = 0;

  double max_relative_error() const;   // largest error / largest value
  double mean_relative_error() const;  // mean error / mean value
};

class Agreement {
 public:
  /// Both must have the same outputs. Only float32 outputs count.
  void add(const NamedTensors& expected, const NamedTensors& actual);
  const std::map<std::string, OutputAgreement>& outputs() const { return outputs_; }

 private:
  std::map<std::string, OutputAgreement> outputs_;
};

}  // namespace weft::runtime
