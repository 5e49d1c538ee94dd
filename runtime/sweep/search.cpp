#include "runtime/sweep/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "runtime/sweep/pareto.h"

namespace weft::sweep {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// How often to look for a point that is allowed and new before the space counts as exhausted.
constexpr int kTries = 2000;

/// A tenth of all points, so that there are ten generations, but enough to hold a front.
std::uint64_t generation_size(std::uint64_t points) {
  return std::clamp<std::uint64_t>(points / 10, 8, 64);
}

/// True if `a` is at most `b` everywhere and less somewhere.
bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  return covers(a, b) && a != b;
}

}  // namespace

Search::Search(const Space& space, std::uint64_t points, const std::vector<std::string>& goals,
               std::uint64_t seed)
    : space_(space), most_(points), engine_(seed) {
  for (const Axis& axis : space.axes()) {
    const bool of_work = axis.name == "workload" || axis.name == "m" || axis.name == "k" ||
                         axis.name == "n" || axis.name == "batch";
    if (!of_work || axis.values.size() == 1) continue;
    throw InputError(
        fmt::format("--search: compares machines for the same work, but {} has {} values; give one",
                    axis.name, axis.values.size()));
  }
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.emplace_back(metric.name);
  for (const std::string& goal : goals) goals_.emplace_back(goal, names, "--goal");
  check_goals();
  begin_spread();
}

void Search::check_goals() const {
  const std::vector<double> ones(metrics().size(), 1);
  for (const Expression& goal : goals_) {
    if (goal.used().empty() && !std::isfinite(goal.value(ones))) {
      throw InputError(fmt::format("--goal {}: has no value; weigh figures, as in energy*time",
                                   printable(goal.text())));
    }
    const auto plain = std::ranges::find(metrics(), goal.text(), &Metric::name);
    if (plain != metrics().end() && plain->more_is_better) {
      throw InputError(fmt::format(
          "--goal {0}: more is better, and a search makes goals small; give -{0}", goal.text()));
    }
    const bool priced = std::ranges::any_of(
        goal.used(), [](std::size_t name) { return needs_energies(metrics()[name]); });
    if (priced && !space_.has_energies()) {
      throw InputError(
          fmt::format("--goal {}: no machine of the sweep has a power.node; name a table with "
                      "--energy",
                      printable(goal.text())));
    }
  }
}

std::vector<double> Search::costs(std::span<const Cell> row) const {
  std::vector<double> figures;
  for (const Metric& metric : metrics()) {
    figures.push_back(metric.more_is_better ? -cost(metric, row) : cost(metric, row));
  }
  std::vector<double> costs;
  for (const Expression& goal : goals_) {
    // A figure that the goal does not use may be missing.
    const bool whole = std::ranges::none_of(
        goal.used(), [&](std::size_t name) { return std::isnan(figures[name]); });
    const double value = whole ? goal.value(figures) : kInfinite;
    costs.push_back(std::isnan(value) ? kInfinite : value);
  }
  return costs;
}

bool Search::add(const Places& places) {
  const std::uint64_t number = space_.number(places);
  if (known_.contains(number) || !space_.point(number)) return false;
  known_[number];
  numbers_.push_back(number);
  return true;
}

void Search::begin_spread() {
  const std::uint64_t count = std::min(most_, 2 * generation_size(most_));
  // Along each axis, sample i lies in part order[i] of `count` equal parts.
  std::vector<Places> samples(count, Places(space_.axes().size()));
  for (std::size_t axis = 0; axis < space_.axes().size(); ++axis) {
    std::vector<std::uint64_t> order(count);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random(i)]);
    const std::uint64_t values = space_.axes()[axis].values.size();
    constexpr std::uint64_t kFine = 1024;
    for (std::size_t i = 0; i < count; ++i) {
      samples[i][axis] = (order[i] * kFine + random(kFine)) * values / (count * kFine);
    }
  }
  for (const Places& sample : samples) add(sample);
  if (numbers_.empty()) begin_generation();  // the conditions allow none of them
}

void Search::begin_generation() {
  select();
  const std::uint64_t size = std::min(generation_size(most_), most_ - numbers_.size());
  for (std::uint64_t i = 0; i < size && !exhausted_; ++i) {
    int tries = 0;
    while (tries < kTries && !add(child())) ++tries;
    exhausted_ = tries == kTries;
  }
}

Search::Places Search::child() {
  const auto& axes = space_.axes();
  Places places(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) places[i] = random(axes[i].values.size());
  // Some children are new points: the parents may have lost what would be good.
  if (parents_.empty() || random(10) == 0) return places;
  const Places one = space_.places(tournament().number);
  const Places other = space_.places(tournament().number);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t last = axes[i].values.size() - 1;
    const std::size_t chance = random(axes.size());
    if (chance == 0) continue;  // keeps the random place
    places[i] = random(2) == 0 ? one[i] : other[i];
    if (chance != 1) continue;
    // A neighbor: most axes are sizes, and their figures change little by little.
    places[i] = random(2) == 0 ? std::min(places[i] + 1, last) : places[i] - (places[i] > 0);
  }
  return places;
}

const Search::Individual& Search::tournament() {
  const Individual& a = parents_[random(parents_.size())];
  const Individual& b = parents_[random(parents_.size())];
  if (a.front != b.front) return a.front < b.front ? a : b;
  return a.room >= b.room ? a : b;
}

void Search::select() {
  std::vector<Individual> all;
  for (const std::uint64_t number : numbers_) {
    const std::vector<double>& costs = known_.at(number);
    if (!costs.empty() && std::ranges::all_of(costs, [](double c) { return std::isfinite(c); })) {
      all.push_back({number, costs});
    }
  }
  parents_.clear();
  const std::size_t wanted = generation_size(most_);
  for (std::size_t front = 0; !all.empty() && parents_.size() < wanted; ++front) {
    const auto beaten = [&](const Individual& one) {
      return std::ranges::any_of(
          all, [&](const Individual& other) { return beats(other.costs, one.costs); });
    };
    std::vector<Individual> best;
    std::vector<Individual> rest;
    for (Individual& one : all) (beaten(one) ? rest : best).push_back(one);
    for (Individual& one : best) one.front = front;
    for (std::size_t goal = 0; goal < goals_.size(); ++goal) {
      std::ranges::stable_sort(best, {}, [&](const Individual& one) { return one.costs[goal]; });
      const double range = best.back().costs[goal] - best.front().costs[goal];
      best.front().room = best.back().room = kInfinite;
      for (std::size_t i = 1; i + 1 < best.size() && range > 0; ++i) {
        best[i].room += (best[i + 1].costs[goal] - best[i - 1].costs[goal]) / range;
      }
    }
    std::ranges::stable_sort(best, std::ranges::greater{}, &Individual::room);
    best.resize(std::min(best.size(), wanted - parents_.size()));
    parents_.insert(parents_.end(), best.begin(), best.end());
    all = std::move(rest);
  }
}

std::optional<Point> Search::next() {
  if (given_ == numbers_.size()) {
    if (told_ < given_ || ended()) return std::nullopt;
    begin_generation();
    if (given_ == numbers_.size()) return std::nullopt;
  }
  return space_.point(numbers_[given_++]);
}

void Search::tell(const Point& point, std::span<const Cell> row) {
  known_.at(point.number) = costs(row);
  ++told_;
}

bool Search::ended() const {
  return told_ == numbers_.size() && (numbers_.size() >= most_ || exhausted_);
}

double Search::share() const {
  return static_cast<double>(told_) / static_cast<double>(most_);
}

void Search::for_each(const std::function<void(const Point&)>& visit) const {
  for (const std::uint64_t number : numbers_) visit(*space_.point(number));
}

}  // namespace weft::sweep
