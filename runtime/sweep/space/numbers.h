// The numbers of a combination that --link and --where name. They are found without making a
// machine, because conditions may leave out most combinations of a large space.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/sweep/space/expression.h"
#include "sim/config/config_keys.h"

namespace weft::sweep {

/// An axis of the space: "workload", "m", "k", "n", "batch", "machine" or a key of the machine.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

/// A key that follows from other numbers: `array.rows=array.cols`.
struct LinkText {
  std::string key;
  std::string expression;
};

/// The key with this name; nullptr if there is none.
const ConfigKey* find_key(std::string_view name);

class Numbers {
 public:
  /// One for each name that expressions may use.
  using Values = std::vector<double>;

  /// What a link gives to its key.
  struct Linked {
    const ConfigKey* key = nullptr;
    std::string value;    // as text; what was asked for if no machine may have it
    std::string problem;  // why no machine may have it; else empty
  };

  Numbers() = default;
  /// `machines` and `batches` are those of the axes "machine" and "workload"; without the former
  /// there is one machine. Throws InputError for bad links and conditions.
  Numbers(std::span<const Axis> axes, std::span<const MachineConfig> machines,
          std::span<const std::optional<std::int64_t>> batches, std::span<const LinkText> links,
          std::span<const std::string> conditions);

  /// The numbers of the combination at these places along the axes.
  Values at(std::span<const std::size_t> places) const;
  /// Makes `values` those at `places`, if they were those of a combination that differs only from
  /// axis `first` on.
  void change(Values& values, std::span<const std::size_t> places, std::size_t first) const;

  bool has_conditions() const { return !conditions_.empty(); }
  /// Whether all conditions hold. They are asked in order up to the first that does not. Throws
  /// InputError if the value of one is infinite or no number.
  bool allowed(std::span<const double> values) const;
  /// What each link gives; a link comes after those that it needs.
  std::vector<Linked> linked(std::span<const double> values) const;

 private:
  /// The numbers that follow from the place along an axis.
  struct AxisNumbers {
    std::vector<std::size_t> names;  // which ones
    Values values;                   // of the first place, then of the second, and so on
  };
  struct Link {
    const ConfigKey* key = nullptr;
    std::size_t place = 0;  // of the key among the numeric keys
    Expression expression;
  };

  void add_key_names();
  AxisNumbers numbers_of(const Axis& axis) const;
  void add_links(std::span<const Axis> axes, std::span<const LinkText> links);
  std::string names_and_values(const Expression& expression, std::span<const double> values) const;
  std::string problem_of(const Link& link, std::string_view value,
                         std::span<const double> values) const;
  /// The place of a numeric key among them; their number for any other.
  std::size_t place_of(const ConfigKey& key) const;
  std::size_t keys() const { return numeric_keys_.size(); }

  std::vector<const ConfigKey*> numeric_keys_;
  std::vector<std::string> names_;  // of the keys, their short names, then those of the work
  std::vector<AxisNumbers> axes_;
  Values initial_;           // of the first machine
  std::vector<Link> links_;  // each after those that it needs
  std::vector<Expression> conditions_;
};

}  // namespace weft::sweep
