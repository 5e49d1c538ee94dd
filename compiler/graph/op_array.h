// An array with one entry for every operator: what a folder attaches to the operators, for example
// the functions that evaluate them. Each family of operators has its entries next to its functions;
// one array joins the families. An operator without a function has a reason in its place, so no
// default hides an entry that was forgotten.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/operator_table.h"

namespace weft::graph {

template <class Function>
struct OpEntry {
  Op op;
  std::optional<Function> function;
  std::string_view reason = {};  // why there is no function

  /// The entry of an operator without a function.
  static constexpr OpEntry none(Op op, std::string_view reason) {
    return {op, std::nullopt, reason};
  }
};

/// A family: the same function for every operator that has the trait.
template <class Function>
std::vector<OpEntry<Function>> entries_with(Trait trait, Function function) {
  std::vector<OpEntry<Function>> entries;
  for (const Op op : operators_with(trait)) entries.push_back({op, function});
  return entries;
}

template <class Function>
class OpArray {
 public:
  using Entry = OpEntry<Function>;
  using Family = std::span<const Entry>;

  /// Joins `families`, which must outlive the array. Throws std::logic_error, which names the
  /// operator, unless every operator has exactly one entry, with either a function or a reason.
  /// `what` names the array in the message.
  OpArray(std::string_view what, std::initializer_list<Family> families)
      : OpArray(what, families, [](Op) { return true; }) {}
  /// The same for the operators that have the trait. Others have no entry.
  OpArray(std::string_view what, std::initializer_list<Family> families, Trait trait)
      : OpArray(what, families, [trait](Op op) { return has(op, trait); }) {}

  /// The entry of an operator that has one.
  const Entry& operator[](Op op) const { return *entries_.at(static_cast<std::size_t>(op)); }
  /// The function of any operator; nullopt if it has none or no entry.
  std::optional<Function> find(Op op) const {
    const Entry* entry = entries_.at(static_cast<std::size_t>(op));
    return entry == nullptr ? std::nullopt : entry->function;
  }

 private:
  template <class Belongs>
  OpArray(std::string_view what, std::initializer_list<Family> families, Belongs belongs) {
    for (const Family family : families) {
      for (const Entry& entry : family) add(what, entry);
    }
    for (std::size_t i = 0; i < kOpCount; ++i) {
      const auto op = static_cast<Op>(i);
      if (belongs(op) == (entries_[i] != nullptr)) continue;
      fail(what, op, entries_[i] == nullptr ? "no entry" : "an entry, but is of another kind");
    }
  }

  void add(std::string_view what, const Entry& entry) {
    const Entry*& slot = entries_.at(static_cast<std::size_t>(entry.op));
    if (slot != nullptr) fail(what, entry.op, "two entries");
    if (entry.function.has_value() != entry.reason.empty()) {
      fail(what, entry.op, "neither a function nor a reason, or both");
    }
    slot = &entry;
  }

  [[noreturn]] static void fail(std::string_view what, Op op, std::string_view problem) {
    throw std::logic_error(std::string(what) + ": " + std::string(to_string(op)) + " has " +
                           std::string(problem));
  }

  std::array<const Entry*, kOpCount> entries_ = {};
};

}  // namespace weft::graph
