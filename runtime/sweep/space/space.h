// The points of a sweep: every combination of the values of its axes. Points are numbered, and a
// point is made when it is needed, so a space of 10^9 points takes no memory.
//
//   workload  x  m, k, n (of a product)  x  batch  x  machine  x  keys of the machine
//   slowest                                                        the last one fastest
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "compiler/program/network_program.h"
#include "runtime/sweep/space/expression.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/network_source.h"
#include "sim/config/energy_table.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::sweep {

inline constexpr std::uint64_t kMostPoints = 1'000'000'000;

/// What runs: one product, one convolution, or a network. A product's sizes are axes.
struct Workload {
  std::variant<MatmulSpec, runtime::ConvSpec, runtime::NetworkRequest> shape;
  std::vector<std::string> words;  // that name it after `weft`: the command and its own options

  /// "product", "convolution" or "network".
  std::string_view kind() const;
};

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

/// What a user asks for.
struct Request {
  std::vector<Workload> workloads;  // at least one, all of one kind
  std::vector<Axis> axes;  // of the names above except "workload"; those left out have one value
  std::vector<LinkText> links;
  std::vector<std::string> conditions;  // all must hold
  Engine engine = Engine::kAnalytic;
  compiler::SearchEffort effort = compiler::SearchEffort::kNormal;
  /// Prices the events; nullopt: the built-in table of each machine's power.node.
  std::optional<EnergyTable> energy = {};
  std::string energy_name = "own";  // how the user named it
};

/// One combination.
struct Point {
  std::uint64_t number = 0;
  std::size_t workload = 0;
  MatmulSpec product = {};            // of a product
  std::optional<std::int64_t> batch;  // of a network
  MachineConfig machine;
  std::optional<std::string> impossible = {};  // why there is no such machine
};

class Space {
 public:
  /// Throws InputError for axes that say nothing or contradict links, for cycles in links, and for
  /// more than kMostPoints; ConfigError for values outside their key's range.
  explicit Space(Request request);

  const Request& request() const { return request_; }
  /// All axes in the order above; each has at least one value.
  std::span<const Axis> axes() const { return axes_; }
  /// The number of combinations, before the conditions.
  std::uint64_t size() const { return size_; }
  /// The combination with this number, below size(). Nullopt if a condition does not hold for it.
  std::optional<Point> point(std::uint64_t number) const;

  /// The place along each axis of the combination with this number, and the way back.
  std::vector<std::size_t> places(std::uint64_t number) const;
  std::uint64_t number(std::span<const std::size_t> places) const;

  /// The words after `weft` that run the point alone.
  std::vector<std::string> command(const Point& point) const;
  /// What determines the point's figures, as text: equal for equal points of any sweep.
  std::string identity(const Point& point) const;

 private:
  struct Link {
    std::string key;
    Expression expression;
  };

  void add_links();
  void set_links(Point& point) const;
  bool allowed(const Point& point) const;
  std::vector<double> numbers(const Point& point) const;
  std::vector<std::string> workload_words(const Point& point) const;

  Request request_;
  std::vector<std::string> names_;  // that expressions may use, in the order of numbers()
  std::vector<Axis> axes_;
  std::vector<Link> links_;  // each after those that it needs
  std::vector<Expression> conditions_;
  std::vector<MachineConfig> machines_;  // of the axis "machine"
  std::vector<std::string> contents_;    // of the workloads: a file's hash
  std::string energies_;                 // of the table, if one was given
  std::uint64_t size_ = 1;
};

}  // namespace weft::sweep
