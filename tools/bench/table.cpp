#include "tools/bench/table.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>

namespace weft::bench {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

/// The best target is the lowest bit.
std::string highway_target() {
  const std::int64_t targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);
}

std::string milliseconds(std::optional<double> seconds) {
  return seconds ? fmt::format("{:.3f} ms", *seconds * 1e3) : "-";
}

std::string rate(double per_second, const std::string& unit) {
  return per_second >= 1e9 ? fmt::format("{:.2f} G {}", per_second / 1e9, unit)
                           : fmt::format("{:.2f} M {}", per_second / 1e6, unit);
}

/// The figure that the target limits; nullopt if a measurement for it is missing.
std::optional<double> figure(const Row& row, std::optional<double> weft,
                             std::optional<double> baseline) {
  if (!weft || (row.figure == Figure::kRatio && !baseline)) return {};
  switch (row.figure) {
    case Figure::kRatio:
      return *weft / *baseline;
    case Figure::kRate:
      return row.work / *weft;
    case Figure::kTime:
      break;
  }
  return weft;
}

std::string figure_text(const Row& row, std::optional<double> value) {
  if (!value) return "-";
  // A small share needs more digits than a ratio near 1.
  if (row.figure == Figure::kRatio) {
    return *value < 0.1 ? fmt::format("{:.2f} %", *value * 100) : fmt::format("{:.2f}", *value);
  }
  return row.figure == Figure::kRate ? rate(*value, row.work_unit) : milliseconds(value);
}

std::string target_text(const Row& row) {
  if (!row.target) return "";
  return (row.figure == Figure::kRate ? ">= " : "<= ") + figure_text(row, row.target);
}

std::string verdict(const Row& row, std::optional<double> value) {
  if (!row.target) return "";
  if (!value) return "not measured";
  const bool met = row.figure == Figure::kRate ? *value >= *row.target : *value <= *row.target;
  return met ? "met" : "missed";
}

void print_line(const std::string& name, const std::string& weft, const std::string& baseline,
                const std::string& figure, const std::string& target, const std::string& verdict) {
  fmt::print("{:<43}{:>12}{:>12}  {:>15}  {:>18}  {}\n", name, weft, baseline, figure, target,
             verdict);
}

}  // namespace

std::string weft_benchmark(const Row& row) {
  return row.name + ": weft";
}

std::string baseline_benchmark(const Row& row) {
  return row.name + ": baseline";
}

bool TableReporter::ReportContext(const Context& context) {
  fmt::print("{}, {} cores, Highway target {}; medians\n\n", processor_name(),
             context.cpu_info.num_cpus, highway_target());
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
    seconds_[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                   static_cast<double>(run.iterations));
  }
}

void TableReporter::Finalize() {
  print_line("row", "Weft", "baseline", "figure", "target", "");
  for (const Row& row : rows_) print(row);
  for (const Peak& peak : peaks_) {
    print_line(peak.name, "", "", fmt::format("{:.0f} MB", peak.bytes / 1e6),
               fmt::format("<= {:.0f} MB", peak.target / 1e6),
               peak.bytes <= peak.target ? "met" : "missed");
  }
}

std::optional<double> TableReporter::median(const std::string& benchmark) const {
  const auto found = seconds_.find(benchmark);
  if (found == seconds_.end()) return {};
  std::vector<double> samples = found->second;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

/// Prints nothing for a row that --benchmark_filter left out.
void TableReporter::print(const Row& row) const {
  const auto weft = median(weft_benchmark(row));
  const auto baseline = median(baseline_benchmark(row));
  if (!weft && !baseline) return;
  const auto value = figure(row, weft, baseline);
  print_line(row.name, milliseconds(weft), milliseconds(baseline), figure_text(row, value),
             target_text(row), verdict(row, value));
}

}  // namespace weft::bench
