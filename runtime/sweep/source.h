// Which points of a space a sweep runs, and in which order.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "runtime/sweep/columns.h"
#include "runtime/sweep/space/space.h"

namespace weft::sweep {

class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// The next point; nullopt if there is none before further rows are known, or none at all.
  virtual std::optional<Point> next() = 0;
  /// The row of a point that next() gave, whether it was computed now or was there before.
  virtual void tell(const Point& point, std::span<const Cell> row) = 0;
  /// True if the last next() gave no point only because finding one takes long: call it again.
  virtual bool looking() const { return false; }
  /// Whether next() is through.
  virtual bool ended() const = 0;
  /// The share whose rows are known, 0 to 1.
  virtual double share() const = 0;
  /// All points so far, in order.
  virtual void for_each(const std::function<void(const Point&)>& visit) const = 0;
};

}  // namespace weft::sweep
