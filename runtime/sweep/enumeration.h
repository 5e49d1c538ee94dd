#pragma once

#include "runtime/sweep/source.h"

namespace weft::sweep {

/// Every point of a space that its conditions allow, in order.
class Enumeration final : public Source {
 public:
  /// `space` must outlive this.
  explicit Enumeration(const Space& space) : space_(space) {}

  std::optional<Point> next() override {
    while (number_ < space_.size()) {
      if (auto point = space_.point(number_++)) return point;
    }
    return std::nullopt;
  }
  void tell(const Point& /*point*/, std::span<const Cell> /*row*/) override {}
  bool ended() const override { return number_ == space_.size(); }
  double share() const override {
    return static_cast<double>(number_) / static_cast<double>(space_.size());
  }
  void for_each(const std::function<void(const Point&)>& visit) const override {
    Enumeration again(space_);
    while (again.number_ < number_) {
      if (const auto point = again.next()) visit(*point);
    }
  }

 private:
  const Space& space_;
  std::uint64_t number_ = 0;
};

}  // namespace weft::sweep
