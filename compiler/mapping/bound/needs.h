// How many weights must have come to the chip before elements of a value can be known
// (docs/bounds.md, section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/mapping/bound/dependence.h"

namespace weft::compiler {

/// A share of a value's elements, and how many elements of weights must have come before any of
/// these is known.
struct Need {
  double share = 1;
  double weights = 0;
};

/// Takes bounded time and memory: of graphs that would take more, some needs are found too small,
/// or 0.
class Needs {
 public:
  /// Both must outlive the object. `on_host` has an entry for each node: the machine needs no
  /// weights for these.
  Needs(const graph::Graph& graph, const std::vector<bool>& on_host);

  /// For the elements of a value. The shares add up to 1.
  std::vector<Need> of_elements(graph::ValueId value);
  /// How many must have come before any element of each value is known.
  double of_all(std::initializer_list<graph::ValueId> values);
  /// The same for any of these elements of one value.
  double of(graph::ValueId value, const Elements& elements);

 private:
  /// Boxes of weights, by their numbers: bit n % 64 of word n / 64.
  using Set = std::vector<std::uint64_t>;
  /// Some of the elements, and the boxes that all of them need.
  struct Part {
    double share = 1;
    Set boxes;
  };
  using Parts = std::vector<Part>;
  using Key = std::pair<graph::ValueId, Elements>;

  bool at_end() const;
  const Parts& parts_of(const Key& key);
  void keep(const Key& key, Parts parts);
  Parts side_by_side(const Dependence& dependence) const;
  Parts combined(const Dependence& dependence, bool uses_weights);
  static Set common(const Parts& parts);
  Set box(const Dependence::Operand& operand);
  std::optional<Dependence> dependence_of(const Key& key) const;
  double elements(const Set& boxes);

  const graph::Graph& graph_;
  const std::vector<bool>& on_host_;
  const std::vector<std::size_t> producers_;
  std::map<Key, Parts> known_;
  std::map<Key, std::size_t> numbers_;  // of the boxes
  std::vector<Key> boxes_;
  std::size_t spent_ = 0;  // words kept and boxes counted
};

}  // namespace weft::compiler
