// The runs of one product or layer, which may come from several measurements.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/measurements/measurement.h"

namespace weft::runtime {

class RunTimes {
 public:
  void add(const measurements::Measurement& measured);
  /// Only the runs i, i + every, i + 2 every, ... of all that were added, by time.
  RunTimes part(std::size_t i, std::size_t every) const;

  bool empty() const { return count_ == 0; }
  /// True if the single runs are known.
  bool has_runs() const { return !runs_.empty() && runs_.size() == count_; }
  std::uint64_t count() const { return count_; }
  /// The median of all runs; of sums alone their mean, unless there is one sum, which has a median.
  double seconds() const;
  /// "median of 10 runs of aten::mm, 1.2 % between fastest and slowest".
  std::string text() const;
  /// "measured_as", "count", "fastest_seconds", "slowest_seconds".
  nlohmann::ordered_json json() const;

 private:
  std::vector<std::string> names_;
  std::vector<measurements::Occurrence> runs_;
  std::uint64_t count_ = 0;
  std::size_t sums_ = 0;
  double median_of_sum_ = 0;
  double total_ = 0;
  bool is_mean_ = false;
};

}  // namespace weft::runtime
