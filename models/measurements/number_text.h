// Numbers as profilers write them, which depends on the language of the user's system: "1,234.5",
// "1.234,5" and "1 234,5" are the same number.
#pragma once

#include <optional>
#include <string_view>

namespace weft::measurements {

/// The two ways to read a number: with a decimal point and commas between groups of three digits,
/// or the other way round. nullopt where the text is no such number.
struct NumberReadings {
  std::optional<double> point = {};
  std::optional<double> comma = {};

  bool is_number() const { return point || comma; }
};

NumberReadings read_number(std::string_view text);

/// The way in which all numbers of a file can be read.
class NumberStyle {
 public:
  /// Takes a number of the file into account.
  void see(const NumberReadings& number);

  /// True for the decimal comma, if only that fits all numbers. Throws InputError if no way fits
  /// all of them.
  bool is_comma() const;
  /// True if both ways fit, but give different numbers.
  bool is_open() const { return point_fits_ && comma_fits_ && differs_; }

 private:
  bool point_fits_ = true;
  bool comma_fits_ = true;
  bool differs_ = false;
};

/// How many seconds a unit has: "ns", "nsecond", "us", "usecond", "ms", "s", "second", ...; nullopt
/// if it is no unit of time.
std::optional<double> seconds_of_unit(std::string_view unit);

/// A time such as "0.00044", "442 us" or "1.5ms" in seconds; without a unit in `unit` seconds. Only
/// a decimal point, no groups. nullopt if it is no finite number.
std::optional<double> time_of(std::string_view text, double unit);

}  // namespace weft::measurements
