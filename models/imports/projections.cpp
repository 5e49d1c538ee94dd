#include "models/imports/projections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace weft::imports {
namespace {

/// What a dimension of a window is multiplied by in the input's index along `side`.
struct WindowTerm {
  std::string_view dimension;
  std::string_view coefficient;
  char side;
};
constexpr std::array<WindowTerm, 4> kWindow = {{{"R", "Wdilation", 'W'},
                                                {"P", "Wstride", 'W'},
                                                {"S", "Hdilation", 'H'},
                                                {"Q", "Hstride", 'H'}}};

const WindowTerm* window_term(std::string_view dimension) {
  const auto* const found = std::ranges::find(kWindow, dimension, &WindowTerm::dimension);
  return found == kWindow.end() ? nullptr : found;
}

constexpr std::size_t kOperands = 3;

/// The first term of the dimension; nullptr if the data space lacks it.
const ProjectionTerm* find_term(const DataSpace& space, std::string_view dimension) {
  for (const auto& index : space.indices) {
    const auto found = std::ranges::find(index, dimension, &ProjectionTerm::dimension);
    if (found != index.end()) return &*found;
  }
  return nullptr;
}

bool has_dimension(const Operand& operand, std::string_view dimension) {
  return std::ranges::find(operand.dimensions, dimension) != operand.dimensions.end();
}

}  // namespace

void ProjectionCheck::check(const std::vector<DataSpace>& spaces,
                            std::vector<Operand> operands) const {
  check_count(spaces);
  operands = matched(spaces, std::move(operands));
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    check_known(spaces[i], operands[i]);
    for (const auto& index : spaces[i].indices) check_sum(index, operands[i]);
    check_complete(spaces[i], operands[i]);
    for (const auto& index : spaces[i].indices) {
      for (const ProjectionTerm& term : index) check_term(term, operands[i].is_input);
    }
    if (operands[i].is_input) check_windows(spaces[i]);
  }
}

void ProjectionCheck::check_count(const std::vector<DataSpace>& spaces) const {
  std::size_t written = 0;
  std::size_t read = 0;
  for (const DataSpace& space : spaces) {
    ++(space.is_written ? written : read);
    if (written > 1) {
      throw InputError(
          fmt::format("{}: is the second data space with read_write; a problem has "
                      "one result",
                      place_(space.line)));
    }
    if (written + read > kOperands || (written == 1 && read == kOperands)) {
      throw InputError(
          fmt::format("{}: is one data space too many; a problem has two that are "
                      "read, and its result",
                      place_(space.line)));
    }
  }
}

/// The operands in the order of the data spaces, such that the fewest dimensions differ.
std::vector<Operand> ProjectionCheck::matched(const std::vector<DataSpace>& spaces,
                                              std::vector<Operand> operands) const {
  // If no data space is marked as written, each may be the result.
  const bool marked = std::ranges::any_of(spaces, &DataSpace::is_written);
  std::array<std::size_t, kOperands> order = {0, 1, 2};
  std::array<std::size_t, kOperands> best = order;
  std::optional<std::size_t> fewest;
  do {
    std::size_t different = 0;
    bool possible = true;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      const Operand& operand = operands[order[i]];
      if (marked && spaces[i].is_written != operand.is_written) possible = false;
      different += difference(spaces[i], operand);
    }
    if (!possible || (fewest && different >= *fewest)) continue;
    fewest = different;
    best = order;
  } while (std::ranges::next_permutation(order).found);
  return {operands[best[0]], operands[best[1]], operands[best[2]]};
}

std::size_t ProjectionCheck::difference(const DataSpace& space, const Operand& operand) const {
  std::size_t different = missing(space, operand).size();
  for (const auto& index : space.indices) {
    different += static_cast<std::size_t>(std::ranges::count_if(
        index, [&](const auto& term) { return !has_dimension(operand, term.dimension); }));
  }
  return different;
}

/// Without those of size 1, which change nothing.
std::vector<std::string> ProjectionCheck::missing(const DataSpace& space,
                                                  const Operand& operand) const {
  std::vector<std::string> names;
  for (const std::string& name : operand.dimensions) {
    if (find_term(space, name) == nullptr && size_(name) > 1) names.push_back(name);
  }
  return names;
}

void ProjectionCheck::check_known(const DataSpace& space, const Operand& operand) const {
  for (const auto& index : space.indices) {
    for (const ProjectionTerm& term : index) {
      if (has_dimension(operand, term.dimension)) continue;
      throw InputError(fmt::format("{}: {} cannot have dimension {}", place_(term.line),
                                   operand.what, printable(term.dimension)));
    }
  }
}

/// Each dimension once.
void ProjectionCheck::check_complete(const DataSpace& space, const Operand& operand) const {
  for (const auto& index : space.indices) {
    for (const ProjectionTerm& term : index) {
      if (find_term(space, term.dimension) == &term) continue;
      throw InputError(fmt::format("{}: the projection has dimension {} twice; drop one",
                                   place_(term.line), printable(term.dimension)));
    }
  }
  const std::vector<std::string> absent = missing(space, operand);
  if (absent.empty()) return;
  throw InputError(fmt::format("{}: {} must have dimension {}; add it to the projection",
                               place_(space.line), operand.what, printable(absent.front())));
}

void ProjectionCheck::check_term(const ProjectionTerm& term, bool in_input) const {
  const WindowTerm* window = in_input ? window_term(term.dimension) : nullptr;
  const std::string wanted(window == nullptr ? "" : window->coefficient);
  const std::uint64_t factor = value_({term.dimension, wanted, term.line});
  const std::uint64_t found = value_(term);
  if (found == factor) return;
  const std::string shown = printable(term.dimension);
  if (window == nullptr) {
    throw InputError(fmt::format("{}: the projection multiplies {} by {}; drop the coefficient",
                                 place_(term.line), shown, found));
  }
  throw InputError(
      fmt::format("{}: the projection multiplies {} by {}{}, but {} is {}; write [{}, "
                  "{}]",
                  place_(term.line), shown, found,
                  term.coefficient.empty() ? "" : ", " + printable(term.coefficient), wanted,
                  factor, term.dimension, wanted));
}

/// An index is one dimension, or in the input a window. Terms of size 1 add nothing.
void ProjectionCheck::check_sum(const std::vector<ProjectionTerm>& index,
                                const Operand& operand) const {
  const ProjectionTerm* first = nullptr;
  for (const ProjectionTerm& term : index) {
    if (size_(term.dimension) == 1) continue;
    if (first == nullptr) first = &term;
    if (first == &term) continue;
    const WindowTerm* one = window_term(first->dimension);
    const WindowTerm* other = window_term(term.dimension);
    const bool windows = operand.is_input && one != nullptr && other != nullptr;
    if (windows && one->side == other->side) continue;
    throw InputError(fmt::format(
        "{}: the projection adds {} and {}; {}", place_(term.line), first->dimension,
        term.dimension,
        windows ? "R goes with P, S with Q"
                : fmt::format("write [[{}]], [[{}]]", first->dimension, term.dimension)));
  }
}

/// The dimensions of a window are in one index: else the input would have all windows unfolded.
void ProjectionCheck::check_windows(const DataSpace& space) const {
  for (const auto& index : space.indices) {
    for (const ProjectionTerm& term : index) {
      const WindowTerm* window = window_term(term.dimension);
      if (window == nullptr || size_(term.dimension) == 1) continue;
      for (const WindowTerm& other : kWindow) {
        if (other.side != window->side || size_(std::string(other.dimension)) == 1) continue;
        if (std::ranges::find(index, other.dimension, &ProjectionTerm::dimension) != index.end()) {
          continue;
        }
        throw InputError(
            fmt::format("{}: the projection has {} and {} apart; write [[{}, {}], [{}, {}]]",
                        place_(term.line), term.dimension, other.dimension, term.dimension,
                        window->coefficient, other.dimension, other.coefficient));
      }
    }
  }
}

}  // namespace weft::imports
