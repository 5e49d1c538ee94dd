#pragma once

#include <vector>

#include "runtime/sweep/source.h"

namespace weft::sweep {

/// More combinations are not gone through one by one.
inline constexpr std::uint64_t kMostEnumerated = 1'000'000'000;

/// Throws InputError for a space of more than kMostEnumerated combinations.
void check_size(const Space& space);

/// Throws InputError: the conditions of the sweep hold nowhere.
[[noreturn]] void refuse_no_point();

/// All combinations of a space, one by one. It evaluates the conditions without making points.
class Combinations {
 public:
  /// `space` must outlive this.
  explicit Combinations(const Space& space);

  bool ended() const { return number_ == space_.size(); }
  std::uint64_t number() const { return number_; }
  /// Whether the conditions hold. Must not have ended.
  bool allowed() const;
  void advance();

 private:
  const Space& space_;
  const bool conditional_;
  std::uint64_t number_ = 0;
  std::vector<std::size_t> places_;
  Numbers::Values values_;  // if there are conditions
};

/// Every point of a space that its conditions allow, in order.
class Enumeration final : public Source {
 public:
  /// `space` must outlive this. Throws like check_size().
  explicit Enumeration(const Space& space);

  std::optional<Point> next() override;
  void tell(const Point& /*point*/, std::span<const Cell> /*row*/) override { ++told_; }
  bool looking() const override { return looking_; }
  bool ended() const override { return combinations_.ended(); }
  double share() const override;
  void for_each(const std::function<void(const Point&)>& visit) const override;

 private:
  const Space& space_;
  Combinations combinations_;
  std::vector<std::uint64_t> allowed_;  // the numbers so far; empty without conditions
  bool looking_ = false;
  std::uint64_t given_ = 0;
  std::uint64_t told_ = 0;  // of those given
};

}  // namespace weft::sweep
