#include "runtime/compare/imported/run_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/figures.h"

namespace weft::runtime {
namespace {

using measurements::Occurrence;

/// Names of operators in a note; a kernel's name can be a page long.
constexpr std::size_t kLongestName = 60;

std::string shortened(const std::string& name) {
  return name.size() <= kLongestName ? name : name.substr(0, kLongestName) + "...";
}

}  // namespace

void RunTimes::add(const measurements::Measurement& measured) {
  if (!measured.name.empty() && std::ranges::find(names_, measured.name) == names_.end()) {
    names_.push_back(measured.name);
  }
  runs_.insert(runs_.end(), measured.occurrences.begin(), measured.occurrences.end());
  std::ranges::stable_sort(runs_, {}, &Occurrence::start_ns);
  count_ += measured.count;
  total_ += measured.total;
  if (!measured.occurrences.empty()) return;
  ++sums_;
  median_of_sum_ = measured.median;
  is_mean_ |= measured.is_mean;
}

RunTimes RunTimes::part(std::size_t i, std::size_t every) const {
  RunTimes part;
  part.names_ = names_;
  for (std::size_t at = i; at < runs_.size(); at += every) {
    part.runs_.push_back(runs_[at]);
    part.total_ += runs_[at].seconds;
    ++part.count_;
  }
  return part;
}

double RunTimes::seconds() const {
  if (has_runs()) {
    std::vector<double> seconds;
    for (const Occurrence& run : runs_) seconds.push_back(run.seconds);
    return measurements::median_of(std::move(seconds));
  }
  return sums_ == 1 && runs_.empty() ? median_of_sum_ : total_ / static_cast<double>(count_);
}

std::string RunTimes::text() const {
  const bool is_median = has_runs() || (sums_ == 1 && runs_.empty() && !is_mean_);
  std::string text =
      count_ == 1 ? "one run"
                  : fmt::format("{} of {}", is_median ? "median" : "mean", counted(count_, "run"));
  if (!names_.empty()) {
    text += fmt::format(" of {}{}", shortened(names_.front()),
                        names_.size() > 1 ? fmt::format(" and {} more", names_.size() - 1) : "");
  }
  if (has_runs() && runs_.size() > 1 && seconds() > 0) {
    const auto [fastest, slowest] = std::ranges::minmax(runs_, {}, &Occurrence::seconds);
    const double distance = 100 * (slowest.seconds - fastest.seconds) / seconds();
    text += distance < 9.95 ? fmt::format(", {:.2g}", distance) : fmt::format(", {:.0f}", distance);
    text += " % between fastest and slowest";
  }
  return text;
}

nlohmann::ordered_json RunTimes::json() const {
  nlohmann::ordered_json json = {{"measured_as", names_}, {"count", count_}};
  if (has_runs()) {
    const auto [fastest, slowest] = std::ranges::minmax(runs_, {}, &Occurrence::seconds);
    json["fastest_seconds"] = fastest.seconds;
    json["slowest_seconds"] = slowest.seconds;
  }
  return json;
}

}  // namespace weft::runtime
