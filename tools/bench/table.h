// The table that weft_bench prints: the median of each side's repetitions, the figure that follows
// from the medians, and whether it meets the target.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "tools/bench/row.h"

namespace weft::bench {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  /// Both must outlive the reporter; the peaks become the last lines of the table.
  TableReporter(const std::vector<Row>& rows, const std::vector<Peak>& peaks)
      : rows_(rows), peaks_(peaks) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::optional<double> median(const std::string& benchmark) const;
  void print(const Row& row) const;

  const std::vector<Row>& rows_;
  const std::vector<Peak>& peaks_;
  std::map<std::string, std::vector<double>> seconds_;  // of one call, by benchmark
};

/// The benchmark names of a row's two sides. They must not contain '/', the separator of Google
/// Benchmark.
std::string weft_benchmark(const Row& row);
std::string baseline_benchmark(const Row& row);

}  // namespace weft::bench
