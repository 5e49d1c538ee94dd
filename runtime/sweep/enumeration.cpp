#include "runtime/sweep/enumeration.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::sweep {
namespace {

/// next() gives up after this many combinations, some hundredths of a second. The caller then
/// writes rows and shows the progress.
constexpr int kMostTries = 100'000;

}  // namespace

void check_size(const Space& space) {
  if (space.size() <= kMostEnumerated) return;
  throw InputError(
      fmt::format("the sweep has more than {} points; drop values, take larger steps, or run some "
                  "of them with --search",
                  kMostEnumerated));
}

void refuse_no_point() {
  throw InputError("--where: holds for no point of the sweep; loosen a condition");
}

Combinations::Combinations(const Space& space)
    : space_(space), conditional_(space.numbers().has_conditions()), places_(space.axes().size()) {
  if (conditional_) values_ = space.numbers().at(places_);
}

bool Combinations::allowed() const {
  return !conditional_ || space_.numbers().allowed(values_);
}

void Combinations::advance() {
  ++number_;
  if (ended()) return;
  std::size_t axis = places_.size() - 1;
  for (; ++places_[axis] == space_.axes()[axis].values.size(); --axis) places_[axis] = 0;
  if (conditional_) space_.numbers().change(values_, places_, axis);
}

Enumeration::Enumeration(const Space& space) : space_(space), combinations_(space) {
  check_size(space);
}

std::optional<Point> Enumeration::next() {
  looking_ = false;
  for (int tries = 0; !combinations_.ended(); ++tries) {
    looking_ = tries == kMostTries;
    if (looking_) return std::nullopt;
    const bool allowed = combinations_.allowed();
    const std::uint64_t number = combinations_.number();
    combinations_.advance();
    if (!allowed) continue;
    if (space_.numbers().has_conditions()) allowed_.push_back(number);
    ++given_;
    return space_.point(number);
  }
  return std::nullopt;
}

double Enumeration::share() const {
  const double tried =
      static_cast<double>(combinations_.number()) / static_cast<double>(space_.size());
  return given_ == 0 ? tried : tried * static_cast<double>(told_) / static_cast<double>(given_);
}

void Enumeration::for_each(const std::function<void(const Point&)>& visit) const {
  if (!space_.numbers().has_conditions()) {
    for (std::uint64_t i = 0; i < combinations_.number(); ++i) visit(*space_.point(i));
    return;
  }
  for (const std::uint64_t number : allowed_) visit(*space_.point(number));
}

}  // namespace weft::sweep
