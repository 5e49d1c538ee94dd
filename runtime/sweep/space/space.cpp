#include "runtime/sweep/space/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "base/version.h"
#include "runtime/sweep/space/file_hash.h"
#include "sim/config/config_keys.h"

namespace weft::sweep {
namespace {

constexpr std::array<std::string_view, 4> kWorkloadAxes = {"m", "k", "n", "batch"};
constexpr std::string_view kDefaultMachine = "tpu-v2";
constexpr unsigned kKeyDecimals = 9;

/// A key that counts or measures, or a switch: on is 1, off is 0.
bool is_numeric(const ConfigKey& key) {
  return key.decimals.has_value() || key.range == "on|off";
}

const ConfigKey* find_key(std::string_view name) {
  const auto keys = config_keys();
  const auto found = std::ranges::find(keys, name, &ConfigKey::name);
  return found == keys.end() ? nullptr : &*found;
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

/// Reads as the key's text; nullopt for what no key can be.
std::optional<std::string> key_text(const ConfigKey& key, double value) {
  if (key.range == "on|off") return value != 0 ? "on" : "off";
  if (!std::isfinite(value) || value < 0 || value > 1e9) return std::nullopt;
  return print_decimal(static_cast<std::uint64_t>(std::llround(value * 1e9)), kKeyDecimals);
}

std::string energies_text(const EnergyTable& table) {
  std::string text = "; energies";
  for (const EnergyKey& key : energy_keys()) {
    const std::optional<double> value = key.area != nullptr ? table.*key.area : table.*key.value;
    if (value) text += fmt::format(" {}={}", key.name, *value);
  }
  return text;
}

/// The axes of `given` in the order of the space, each with its values; those left out have one.
std::vector<Axis> ordered_axes(const Request& request) {
  std::vector<Axis> axes;
  Axis workloads{"workload", {}};
  for (const Workload& workload : request.workloads) {
    workloads.values.push_back(fmt::format("{}", fmt::join(workload.words, " ")));
  }
  axes.push_back(std::move(workloads));
  std::vector<std::string> names(kWorkloadAxes.begin(), kWorkloadAxes.end());
  names.emplace_back("machine");
  for (const ConfigKey& key : config_keys()) names.push_back(key.name);
  for (const std::string& name : names) {
    const auto given = std::ranges::find(request.axes, name, &Axis::name);
    if (given != request.axes.end()) axes.push_back(*given);
  }
  return axes;
}

}  // namespace

std::string_view Workload::kind() const {
  constexpr std::array<std::string_view, 3> kKinds = {"product", "convolution", "network"};
  return kKinds[shape.index()];
}

Space::Space(Request request) : request_(std::move(request)), axes_(ordered_axes(request_)) {
  for (const Axis& axis : axes_) {
    if (axis.values.empty()) throw InputError(fmt::format("{}: has no value", axis.name));
    if (size_ > kMostPoints / axis.values.size()) {
      throw InputError(
          fmt::format("the sweep has more than {} points; drop values, or take larger "
                      "steps",
                      kMostPoints));
    }
    size_ *= axis.values.size();
    if (const ConfigKey* key = find_key(axis.name)) {
      MachineConfig scratch;
      for (const std::string& value : axis.values) set_key(scratch, key->name, value);
    }
    if (axis.name != "machine") continue;
    for (const std::string& name : axis.values) machines_.push_back(load_machine(name));
  }
  if (machines_.empty()) machines_.push_back(load_machine(std::string(kDefaultMachine)));
  for (const Workload& workload : request_.workloads) {
    const auto* network = std::get_if<runtime::NetworkRequest>(&workload.shape);
    contents_.push_back(network != nullptr && network->is_file ? file_hash(network->model) : "");
  }
  for (const ConfigKey& key : config_keys()) {
    if (is_numeric(key)) names_.push_back(key.name);
  }
  for (const ConfigKey& key : config_keys()) {
    if (is_numeric(key)) names_.push_back(short_name(key));
  }
  names_.insert(names_.end(), kWorkloadAxes.begin(), kWorkloadAxes.end());
  // A name that a key does not have stands for nothing that a user could type.
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].empty()) names_[i] = fmt::format("unnamed_{}", i);
  }
  if (request_.energy) energies_ = energies_text(*request_.energy);
  add_links();
  for (const std::string& text : request_.conditions) {
    conditions_.emplace_back(text, names_, "--where");
  }
}

void Space::add_links() {
  std::vector<Link> waiting;
  for (const auto& [key, expression] : request_.links) {
    const ConfigKey* known = find_key(key);
    if (known == nullptr || !is_numeric(*known)) {
      MachineConfig scratch;
      if (known == nullptr) set_key(scratch, key, "");  // throws with a similar name
      throw InputError(fmt::format("--link {}: is not a number, so it cannot follow from others",
                                   printable(key)));
    }
    if (std::ranges::find(axes_, key, &Axis::name) != axes_.end()) {
      throw InputError(
          fmt::format("--link {}: the key has values of its own; drop --{} or the link", key, key));
    }
    if (std::ranges::find(waiting, key, &Link::key) != waiting.end()) {
      throw InputError(fmt::format("--link {}: is given twice; drop one", key));
    }
    waiting.push_back({key, Expression(expression, names_, fmt::format("--link {}", key))});
  }
  const std::size_t keys = (names_.size() - kWorkloadAxes.size()) / 2;
  const auto needs = [&](const Link& link, const Link& other) {
    return std::ranges::any_of(link.expression.used(), [&](std::size_t name) {
      return name < 2 * keys && names_[name % keys] == other.key;
    });
  };
  while (!waiting.empty()) {
    const auto ready = std::ranges::find_if(waiting, [&](const Link& link) {
      return std::ranges::none_of(waiting, [&](const Link& other) { return needs(link, other); });
    });
    if (ready == waiting.end()) {
      throw InputError(fmt::format(
          "--link {}: follows from itself, over other links or at once; break the circle",
          waiting.front().key));
    }
    links_.push_back(std::move(*ready));
    waiting.erase(ready);
  }
}

std::vector<std::size_t> Space::places(std::uint64_t number) const {
  std::vector<std::size_t> places(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    places[i] = number % axes_[i].values.size();
    number /= axes_[i].values.size();
  }
  return places;
}

std::uint64_t Space::number(std::span<const std::size_t> places) const {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    number = number * axes_[i].values.size() + places[i];
  }
  return number;
}

std::optional<Point> Space::point(std::uint64_t number) const {
  Point point;
  point.number = number;
  const std::vector<std::size_t> at = places(number);
  std::size_t machine = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == "workload") point.workload = at[i];
    if (axes_[i].name == "machine") machine = at[i];
  }
  point.machine = machines_[machine];
  const Workload& workload = request_.workloads[point.workload];
  if (const auto* product = std::get_if<MatmulSpec>(&workload.shape)) point.product = *product;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::string& value = axes_[i].values[at[i]];
    if (axes_[i].name == "m") point.product.m = parse_size(value, "M");
    if (axes_[i].name == "k") point.product.k = parse_size(value, "K");
    if (axes_[i].name == "n") point.product.n = parse_size(value, "N");
    if (axes_[i].name == "batch") {
      point.batch = static_cast<std::int64_t>(parse_number(value, "--batch", 1, 65536));
    }
    if (find_key(axes_[i].name) != nullptr) set_key(point.machine, axes_[i].name, value);
  }
  try {
    set_links(point);
    validate(point.machine);
  } catch (const ConfigError& error) {
    point.impossible = error.what();
  }
  if (!allowed(point)) return std::nullopt;
  return point;
}

std::vector<double> Space::numbers(const Point& point) const {
  std::vector<double> values;
  values.reserve(names_.size());
  for (const ConfigKey& key : config_keys()) {
    if (is_numeric(key)) values.push_back(number_of(key, point.machine));
  }
  const std::size_t keys = values.size();
  for (std::size_t i = 0; i < keys; ++i) values.push_back(values[i]);  // by their short names
  for (const std::uint64_t size : {point.product.m, point.product.k, point.product.n}) {
    values.push_back(static_cast<double>(size));
  }
  values.push_back(static_cast<double>(point.batch.value_or(1)));
  return values;
}

void Space::set_links(Point& point) const {
  for (const Link& link : links_) {
    const ConfigKey& key = *find_key(link.key);
    const double value = link.expression.value(numbers(point));
    const auto text = key_text(key, value);
    if (!text) {
      throw ConfigError(
          fmt::format("{}: --link makes it {}; must be {}", key.name, value, key.range));
    }
    set_key(point.machine, key.name, *text);
  }
}

bool Space::allowed(const Point& point) const {
  if (conditions_.empty()) return true;
  const std::vector<double> values = numbers(point);
  return std::ranges::all_of(conditions_, [&](const Expression& condition) {
    const double holds = condition.value(values);
    return holds != 0 && !std::isnan(holds);
  });
}

std::vector<std::string> Space::workload_words(const Point& point) const {
  const Workload& workload = request_.workloads[point.workload];
  std::vector<std::string> words = workload.words;
  if (std::holds_alternative<MatmulSpec>(workload.shape)) {
    const std::array<std::string, 3> sizes = {std::to_string(point.product.m),
                                              std::to_string(point.product.k),
                                              std::to_string(point.product.n)};
    words.insert(words.begin() + 1, sizes.begin(), sizes.end());
  }
  if (point.batch) {
    words.emplace_back("--batch");
    words.push_back(std::to_string(*point.batch));
  }
  return words;
}

std::vector<std::string> Space::command(const Point& point) const {
  std::vector<std::string> words = workload_words(point);
  const auto add = [&](const std::string& option, const std::string& value) {
    words.push_back("--" + option);
    words.push_back(value);
  };
  add("engine", std::string(to_string(request_.engine)));
  if (request_.effort != compiler::SearchEffort::kNormal) {
    add("optimize", request_.effort == compiler::SearchEffort::kNone ? "0" : "2");
  }
  if (request_.energy || point.machine.node != ProcessNode::kNone) {
    add("energy", request_.energy_name);
  }
  const std::vector<std::size_t> at = places(point.number);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == "machine") add("machine", axes_[i].values[at[i]]);
  }
  for (const ConfigKey& key : config_keys()) {
    const bool linked = std::ranges::find(links_, key.name, &Link::key) != links_.end();
    const bool swept = std::ranges::find(axes_, key.name, &Axis::name) != axes_.end();
    if (linked || swept) add(key.name, key.print(point.machine));
  }
  return words;
}

std::string Space::identity(const Point& point) const {
  std::string text = fmt::format("weft {}; {}; engine {}; optimize {}; {};", version(),
                                 fmt::join(workload_words(point), " "), to_string(request_.engine),
                                 static_cast<int>(request_.effort), contents_[point.workload]);
  for (const ConfigKey& key : config_keys()) {
    text += fmt::format(" {}={}", key.name, key.print(point.machine));
  }
  return text + energies_;
}

}  // namespace weft::sweep
