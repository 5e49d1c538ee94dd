// The points of a sweep: every combination of the values of its axes. Points are numbered, and a
// point is made when it is needed, so a large space takes no memory.
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
#include "runtime/sweep/space/numbers.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/network_source.h"
#include "sim/config/energy_table.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::sweep {

/// A larger space has no numbers for its combinations.
inline constexpr std::uint64_t kMostCombinations = std::uint64_t{1} << 63U;

/// What runs: one product, one convolution, or a network. A product's sizes are axes.
struct Workload {
  std::variant<MatmulSpec, runtime::ConvSpec, runtime::NetworkRequest> shape;
  /// What names it after `weft`: the command, of a network its name or file, and its own options.
  std::vector<std::string> words;
  std::optional<std::int64_t> batch = {};  // of a network's file that says it itself

  /// "product", "convolution" or "network".
  std::string_view kind() const;
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
  std::optional<std::int64_t> batch;  // of a network; nullopt: its file says it
  MachineConfig machine;
  std::optional<std::string> impossible = {};  // why there is no such machine
  /// Keys to which a link gives what no machine may have. `machine` has some other value there.
  struct Refused {
    std::string key;
    std::string value;  // what was asked for
  };
  std::vector<Refused> refused = {};

  /// The value that was asked for, as text.
  std::string value_of(const ConfigKey& key) const;
  bool refuses(std::string_view key) const;
};

class Space {
 public:
  /// Throws InputError for axes that say nothing or contradict links, for cycles in links, and for
  /// more than kMostCombinations; ConfigError for values outside their key's range.
  explicit Space(Request request);

  const Request& request() const { return request_; }
  /// All axes in the order above; each has at least one value.
  std::span<const Axis> axes() const { return axes_; }
  /// The number of combinations, before the conditions.
  std::uint64_t size() const { return size_; }
  /// What the conditions are about.
  const Numbers& numbers() const { return numbers_; }
  /// The combination with this number, below size(). Nullopt if a condition does not hold for it.
  std::optional<Point> point(std::uint64_t number) const;

  /// The place along each axis of the combination with this number, and the way back.
  std::vector<std::size_t> places(std::uint64_t number) const;
  std::uint64_t number(std::span<const std::size_t> places) const;

  /// The words after `weft` that run the point alone.
  std::vector<std::string> command(const Point& point) const;
  /// What determines the point's figures, as text: equal for equal points of any sweep. A file
  /// counts by its bytes, whatever its name is.
  std::string identity(const Point& point) const;

  /// The batch of a network at the point; nullopt for other work.
  std::optional<std::int64_t> batch_of(const Point& point) const;
  /// The name of the table that prices the point's events: "28nm", or for a user's file its name
  /// and a number that follows from its values. Empty if there is none.
  std::string energies_of(const Point& point) const;
  /// Whether any machine of the space has a table of energies.
  bool has_energies() const;

 private:
  /// Two files with the same bytes are one workload, with the name of the first.
  void drop_repeated_workloads();
  void add_machines();
  void add_workloads();
  void set_axis(Point& point, const Axis& axis, const std::string& value) const;
  void set_links(Point& point, std::span<const double> values) const;
  bool has_axis(std::string_view name) const;
  std::vector<std::string> workload_words(const Point& point, bool with_batch) const;

  Request request_;
  std::vector<Axis> axes_;
  Numbers numbers_;
  std::vector<MachineConfig> machines_;               // of the axis "machine"
  std::vector<std::string> contents_;                 // of the workloads: a file's hash
  std::vector<std::optional<std::int64_t>> batches_;  // of the workloads, as far as known
  std::string energies_;                              // of the table, if one was given
  std::uint64_t size_ = 1;
};

}  // namespace weft::sweep
