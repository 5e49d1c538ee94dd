// How far one network's outputs are from another's, gathered run by run: what quantising costs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cli/network_runner.h"

namespace weft::cli {

/// Of one float32 output, over all runs.
struct OutputAgreement {
  double largest_error = 0;
  double largest_value = 0;
  double error_sum = 0;  // of magnitudes
  double value_sum = 0;
  std::uint64_t rows = 0;  // of outputs [N, classes]
  std::uint64_t same_top = 0;

  double max_relative_error() const;   // largest error / largest value
  double mean_relative_error() const;  // mean error / mean value
};

class Agreement {
 public:
  /// Both have the same outputs. Those that are not float32 are left out.
  void add(const NamedTensors& expected, const NamedTensors& actual);
  const std::map<std::string, OutputAgreement>& outputs() const { return outputs_; }

 private:
  std::map<std::string, OutputAgreement> outputs_;
};

}  // namespace weft::cli
