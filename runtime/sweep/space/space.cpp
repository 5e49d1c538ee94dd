#include "runtime/sweep/space/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/version.h"
#include "runtime/sweep/space/file_hash.h"
#include "sim/config/config_keys.h"

namespace weft::sweep {
namespace {

constexpr std::array<std::string_view, 4> kWorkloadAxes = {"m", "k", "n", "batch"};
constexpr std::string_view kDefaultMachine = "tpu-v2";

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

/// The hash of a network's file; empty for other work.
std::string contents_of(const Workload& workload) {
  const auto* network = std::get_if<runtime::NetworkRequest>(&workload.shape);
  return network != nullptr && network->is_file ? file_hash(network->model) : std::string();
}

/// Drops the name of a file: its contents identify it.
std::vector<std::string> identity_words(std::vector<std::string> words,
                                        const std::string& contents) {
  if (!contents.empty()) words.erase(words.begin() + 1);
  return words;
}

}  // namespace

std::string_view Workload::kind() const {
  constexpr std::array<std::string_view, 3> kKinds = {"product", "convolution", "network"};
  return kKinds[shape.index()];
}

std::string Point::value_of(const ConfigKey& key) const {
  const auto found = std::ranges::find(refused, key.name, &Refused::key);
  return found == refused.end() ? key.print(machine) : found->value;
}

bool Point::refuses(std::string_view key) const {
  return std::ranges::find(refused, key, &Refused::key) != refused.end();
}

Space::Space(Request request) : request_(std::move(request)) {
  drop_repeated_workloads();
  axes_ = ordered_axes(request_);
  for (const Axis& axis : axes_) {
    if (axis.values.empty()) throw InputError(fmt::format("{}: has no value", axis.name));
    if (size_ > kMostCombinations / axis.values.size()) {
      throw InputError("the sweep has more than 2^63 combinations; drop values");
    }
    size_ *= axis.values.size();
    if (const ConfigKey* key = find_key(axis.name)) {
      MachineConfig scratch;
      for (const std::string& value : axis.values) set_key(scratch, key->name, value);
    }
  }
  add_machines();
  add_workloads();
  if (request_.energy) energies_ = "; energies" + values_text(*request_.energy);
  numbers_ = Numbers(axes_, machines_, batches_, request_.links, request_.conditions);
}

void Space::add_machines() {
  const auto axis = std::ranges::find(axes_, "machine", &Axis::name);
  if (axis == axes_.end()) {
    machines_.push_back(load_machine(std::string(kDefaultMachine)));
    return;
  }
  for (const std::string& name : axis->values) machines_.push_back(load_machine(name));
}

void Space::drop_repeated_workloads() {
  std::vector<Workload> kept;
  std::set<std::pair<std::vector<std::string>, std::string>> seen;
  for (Workload& workload : request_.workloads) {
    std::string contents = contents_of(workload);
    if (!seen.emplace(identity_words(workload.words, contents), contents).second) continue;
    contents_.push_back(std::move(contents));
    kept.push_back(std::move(workload));
  }
  request_.workloads = std::move(kept);
}

void Space::add_workloads() {
  for (const Workload& workload : request_.workloads) {
    batches_.push_back(workload.batch);
    const auto* network = std::get_if<runtime::NetworkRequest>(&workload.shape);
    if (network == nullptr) continue;
    if (network->batch) batches_.back() = network->batch;
    if (!network->is_file && !batches_.back()) batches_.back() = 1;
  }
}

bool Space::has_axis(std::string_view name) const {
  return std::ranges::find(axes_, name, &Axis::name) != axes_.end();
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
  const std::vector<std::size_t> at = places(number);
  const Numbers::Values values = numbers_.at(at);
  if (!numbers_.allowed(values)) return std::nullopt;
  Point point;
  point.number = number;
  point.workload = at.front();
  const auto machine = std::ranges::find(axes_, "machine", &Axis::name) - axes_.begin();
  point.machine = machines_[has_axis("machine") ? at[static_cast<std::size_t>(machine)] : 0];
  const Workload& workload = request_.workloads[point.workload];
  if (const auto* product = std::get_if<MatmulSpec>(&workload.shape)) point.product = *product;
  // What a file says is not asked for: the import may refuse to be told.
  if (!workload.batch) point.batch = batches_[point.workload];
  for (std::size_t i = 0; i < axes_.size(); ++i) set_axis(point, axes_[i], axes_[i].values[at[i]]);
  set_links(point, values);
  if (point.impossible) return point;
  try {
    validate(point.machine);
  } catch (const ConfigError& error) {
    point.impossible = error.what();
  }
  return point;
}

void Space::set_axis(Point& point, const Axis& axis, const std::string& value) const {
  if (axis.name == "m") point.product.m = parse_size(value, "M");
  if (axis.name == "k") point.product.k = parse_size(value, "K");
  if (axis.name == "n") point.product.n = parse_size(value, "N");
  if (axis.name == "batch") {
    point.batch = static_cast<std::int64_t>(parse_number(value, "--batch", 1, 65536));
  }
  if (find_key(axis.name) != nullptr) set_key(point.machine, axis.name, value);
}

void Space::set_links(Point& point, std::span<const double> values) const {
  for (Numbers::Linked& linked : numbers_.linked(values)) {
    if (linked.problem.empty()) {
      set_key(point.machine, linked.key->name, linked.value);
      continue;
    }
    if (!point.impossible) point.impossible = std::move(linked.problem);
    point.refused.push_back({linked.key->name, std::move(linked.value)});
  }
}

std::optional<std::int64_t> Space::batch_of(const Point& point) const {
  return point.batch ? point.batch : batches_[point.workload];
}

std::string Space::energies_of(const Point& point) const {
  if (request_.energy) return request_.energy->name;
  const std::optional<EnergyTable> own = energy_table_of(point.machine);
  return own ? own->name : std::string();
}

bool Space::has_energies() const {
  const auto nodes = std::ranges::find(axes_, "power.node", &Axis::name);
  if (request_.energy) return true;
  if (nodes != axes_.end()) {
    return std::ranges::any_of(nodes->values, [](const auto& node) { return node != "none"; });
  }
  return std::ranges::any_of(
      machines_, [](const MachineConfig& machine) { return machine.node != ProcessNode::kNone; });
}

std::vector<std::string> Space::workload_words(const Point& point, bool with_batch) const {
  const Workload& workload = request_.workloads[point.workload];
  std::vector<std::string> words = workload.words;
  if (std::holds_alternative<MatmulSpec>(workload.shape)) {
    const std::array<std::string, 3> sizes = {std::to_string(point.product.m),
                                              std::to_string(point.product.k),
                                              std::to_string(point.product.n)};
    words.insert(words.begin() + 1, sizes.begin(), sizes.end());
  }
  if (with_batch && point.batch) {
    words.emplace_back("--batch");
    words.push_back(std::to_string(*point.batch));
  }
  return words;
}

std::vector<std::string> Space::command(const Point& point) const {
  std::vector<std::string> words = workload_words(point, has_axis("batch"));
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
    const bool linked =
        std::ranges::find(request_.links, key.name, &LinkText::key) != request_.links.end();
    if (linked || has_axis(key.name)) add(key.name, point.value_of(key));
  }
  return words;
}

std::string Space::identity(const Point& point) const {
  const std::string& contents = contents_[point.workload];
  std::string text =
      fmt::format("weft {}; {}; engine {}; optimize {}; {};", version(),
                  fmt::join(identity_words(workload_words(point, true), contents), " "),
                  to_string(request_.engine), static_cast<int>(request_.effort), contents);
  for (const ConfigKey& key : config_keys()) {
    text += fmt::format(" {}={}", key.name, point.value_of(key));
  }
  return text + energies_;
}

}  // namespace weft::sweep
