#include "runtime/sweep/space/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"

namespace weft::sweep {
namespace {

constexpr std::array<std::string_view, 4> kWorkNames = {"m", "k", "n", "batch"};
constexpr std::size_t kBatch = 3;
constexpr unsigned kKeyDecimals = 9;
/// A link's result this close to a whole number is one: 0.7 * 10 is not exactly 7.
constexpr double kWholeTolerance = 1e-9;
/// No key has larger numbers; up to here a double holds nine decimals well enough.
constexpr double kLargest = 1e9;

/// A key that counts or measures, or a switch: on is 1, off is 0.
bool is_numeric(const ConfigKey& key) {
  return key.decimals.has_value() || key.range == "on|off";
}

double number_of(const ConfigKey& key, const MachineConfig& machine) {
  const std::string text = key.print(machine);
  if (text == "on") return 1;
  if (text == "off") return 0;
  return static_cast<double>(parse_decimal(text, kKeyDecimals).value_or(0)) / 1e9;
}

/// "rows" for array.rows: the last part of a key's name, where it belongs to one key alone. The
/// array's sizes come first in any talk about machines, so rows and cols mean the array's.
std::string short_name(const ConfigKey& key) {
  const auto last_part = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  const std::string_view own = last_part(key.name);
  if (own == key.name) return {};
  if (key.name.starts_with("array.")) return std::string(own);
  const auto same = [&](const ConfigKey& other) {
    return is_numeric(other) && last_part(other.name) == own;
  };
  return std::ranges::count_if(config_keys(), same) == 1 ? std::string(own) : std::string();
}

/// The value that the key takes if a link gives `value`: rounded to the key's decimals. A key that
/// counts takes whole numbers only, because half a row is a mistake in the link.
double rounded(const ConfigKey& key, double value) {
  if (!key.decimals || !(std::abs(value) <= kLargest)) return value;
  const double one = std::pow(10, *key.decimals);
  const double nearest = std::round(value * one) / one;
  if (*key.decimals > 0) return nearest;
  return std::abs(value - nearest) <= kWholeTolerance * std::max(1.0, nearest) ? nearest : value;
}

/// The value as text that the key reads, if it is one of the key's.
std::string key_text(const ConfigKey& key, double value) {
  if (!key.decimals && !std::isnan(value)) return value != 0 ? "on" : "off";
  const unsigned decimals = key.decimals.value_or(0);
  const double scaled = std::round(value * std::pow(10, decimals));
  const bool fits = value >= 0 && value <= kLargest && rounded(key, value) == value &&
                    (decimals > 0 || scaled == value);
  if (fits) return print_decimal(static_cast<std::uint64_t>(scaled), decimals);
  return fmt::format("{}", without_nan_sign(value));
}

double parsed(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

const ConfigKey* find_key(std::string_view name) {
  const auto keys = config_keys();
  const auto found = std::ranges::find(keys, name, &ConfigKey::name);
  return found == keys.end() ? nullptr : &*found;
}

Numbers::Numbers(std::span<const Axis> axes, std::span<const MachineConfig> machines,
                 std::span<const std::optional<std::int64_t>> batches,
                 std::span<const LinkText> links, std::span<const std::string> conditions) {
  add_key_names();
  names_.insert(names_.end(), kWorkNames.begin(), kWorkNames.end());
  initial_.resize(names_.size());
  for (std::size_t i = 0; i < keys(); ++i) {
    initial_[i] = initial_[keys() + i] = number_of(*numeric_keys_[i], machines.front());
  }
  for (const Axis& axis : axes) {
    AxisNumbers numbers = numbers_of(axis);
    if (axis.name == "workload") {
      numbers.names = {2 * keys() + kBatch};
      for (const auto& batch : batches) {
        numbers.values.push_back(static_cast<double>(batch.value_or(1)));
      }
    }
    if (axis.name == "machine") {
      for (std::size_t i = 0; i < 2 * keys(); ++i) numbers.names.push_back(i);
      for (const MachineConfig& machine : machines) {
        for (std::size_t i = 0; i < 2 * keys(); ++i) {
          numbers.values.push_back(number_of(*numeric_keys_[i % keys()], machine));
        }
      }
    }
    axes_.push_back(std::move(numbers));
  }
  add_links(axes, links);
  for (const std::string& text : conditions) conditions_.emplace_back(text, names_, "--where");
}

void Numbers::add_key_names() {
  for (const ConfigKey& key : config_keys()) {
    if (is_numeric(key)) numeric_keys_.push_back(&key);
  }
  for (const ConfigKey* key : numeric_keys_) names_.push_back(key->name);
  for (const ConfigKey* key : numeric_keys_) names_.push_back(short_name(*key));
  // A name that a key does not have stands for nothing that a user could type.
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].empty()) names_[i] = fmt::format("unnamed_{}", i);
  }
}

std::size_t Numbers::place_of(const ConfigKey& key) const {
  return static_cast<std::size_t>(std::ranges::find(numeric_keys_, &key) - numeric_keys_.begin());
}

/// Of a size, the batch or a key.
Numbers::AxisNumbers Numbers::numbers_of(const Axis& axis) const {
  AxisNumbers numbers;
  const auto work = std::ranges::find(kWorkNames, axis.name);
  if (work != kWorkNames.end()) {
    numbers.names = {2 * keys() + static_cast<std::size_t>(work - kWorkNames.begin())};
    for (const std::string& value : axis.values) numbers.values.push_back(parsed(value));
  }
  const ConfigKey* key = find_key(axis.name);
  if (key == nullptr || !is_numeric(*key)) return numbers;
  numbers.names = {place_of(*key), keys() + place_of(*key)};
  MachineConfig machine;
  for (const std::string& value : axis.values) {
    set_key(machine, key->name, value);
    numbers.values.insert(numbers.values.end(), 2, number_of(*key, machine));
  }
  return numbers;
}

void Numbers::add_links(std::span<const Axis> axes, std::span<const LinkText> links) {
  std::vector<Link> waiting;
  for (const auto& [key, expression] : links) {
    const ConfigKey* known = find_key(key);
    if (known == nullptr) {
      throw InputError(fmt::format("--link {}: {}", printable(key), unknown_key(key, "sweep")));
    }
    if (!is_numeric(*known)) {
      throw InputError(fmt::format("--link {}: is not a number, so it cannot follow from others",
                                   printable(key)));
    }
    if (std::ranges::find(axes, key, &Axis::name) != axes.end()) {
      throw InputError(
          fmt::format("--link {}: the key has values of its own; drop --{} or the link", key, key));
    }
    if (std::ranges::find(waiting, known, &Link::key) != waiting.end()) {
      throw InputError(fmt::format("--link {}: is given twice; drop one", key));
    }
    waiting.push_back(
        {known, place_of(*known), Expression(expression, names_, fmt::format("--link {}", key))});
  }
  const auto needs = [&](const Link& link, const Link& other) {
    return std::ranges::any_of(link.expression.used(), [&](std::size_t name) {
      return name < 2 * keys() && name % keys() == other.place;
    });
  };
  while (!waiting.empty()) {
    const auto ready = std::ranges::find_if(waiting, [&](const Link& link) {
      return std::ranges::none_of(waiting, [&](const Link& other) { return needs(link, other); });
    });
    if (ready == waiting.end()) {
      throw InputError(fmt::format(
          "--link {}: follows from itself, over other links or at once; break the circle",
          waiting.front().key->name));
    }
    links_.push_back(std::move(*ready));
    waiting.erase(ready);
  }
}

Numbers::Values Numbers::at(std::span<const std::size_t> places) const {
  Values values = initial_;
  change(values, places, 0);
  return values;
}

void Numbers::change(Values& values, std::span<const std::size_t> places, std::size_t first) const {
  for (std::size_t axis = first; axis < axes_.size(); ++axis) {
    const auto& [names, numbers] = axes_[axis];
    const std::size_t begin = places[axis] * names.size();
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = numbers[begin + i];
  }
  for (const Link& link : links_) {
    const double value = rounded(*link.key, link.expression.value(values));
    values[link.place] = values[keys() + link.place] = value;
  }
}

bool Numbers::allowed(std::span<const double> values) const {
  return std::ranges::all_of(conditions_, [&](const Expression& condition) {
    const double holds = condition.value(values);
    // Neither yes nor no would be what the user means.
    if (!std::isfinite(holds)) {
      throw InputError(
          fmt::format("--where {}: is {}{}; write a condition that is a finite number at every "
                      "point",
                      printable(condition.text()), without_nan_sign(holds),
                      names_and_values(condition, values)));
    }
    return holds != 0;
  });
}

/// " with rows = 3, m = 8": what the expression uses.
std::string Numbers::names_and_values(const Expression& expression,
                                      std::span<const double> values) const {
  std::string text;
  for (const std::size_t name : expression.used()) {
    text += fmt::format("{} {} = {}", text.empty() ? " with" : ",", names_[name],
                        without_nan_sign(values[name]));
  }
  return text;
}

std::vector<Numbers::Linked> Numbers::linked(std::span<const double> values) const {
  std::vector<Linked> all;
  MachineConfig scratch;
  for (const Link& link : links_) {
    Linked linked{link.key, key_text(*link.key, values[link.place]), {}};
    if (!link.key->parse(scratch, linked.value)) {
      linked.problem = problem_of(link, linked.value, values);
    }
    all.push_back(std::move(linked));
  }
  return all;
}

std::string Numbers::problem_of(const Link& link, std::string_view value,
                                std::span<const double> values) const {
  return fmt::format("{}: --link makes it {}{}; {}", link.key->name, value,
                     names_and_values(link.expression, values), must_be(*link.key, value));
}

}  // namespace weft::sweep
