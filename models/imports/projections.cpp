#include "models/imports/projections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

/// Filters and results have R, S or P, Q too, but only the input is indexed by windows: it has the
/// positions and is not written.
bool is_input(const DataSpace& space) {
  if (space.is_written) return false;
  for (const auto& index : space.indices) {
    for (const ProjectionTerm& term : index) {
      if (term.dimension == "P" || term.dimension == "Q") return true;
    }
  }
  return false;
}

}  // namespace

void ProjectionCheck::check(const std::vector<DataSpace>& spaces,
                            const std::vector<std::string_view>& result,
                            std::string_view what) const {
  // If none is marked as written, the result could be taken for the input.
  if (std::ranges::none_of(spaces, &DataSpace::is_written)) return;
  for (const DataSpace& space : spaces) {
    if (space.is_written) check_result(space, result, what);
    const bool input = is_input(space);
    for (const auto& index : space.indices) {
      if (input) check_window(index);
      for (const ProjectionTerm& term : index) check_term(term, input);
    }
  }
}

void ProjectionCheck::check_result(const DataSpace& space,
                                   const std::vector<std::string_view>& names,
                                   std::string_view what) const {
  for (const auto& index : space.indices) {
    for (const ProjectionTerm& term : index) {
      if (std::ranges::find(names, term.dimension) != names.end()) continue;
      throw InputError(fmt::format("{}: the result of {} cannot have dimension {}",
                                   place_(space.line), what, printable(term.dimension)));
    }
  }
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

void ProjectionCheck::check_window(const std::vector<ProjectionTerm>& index) const {
  const WindowTerm* first = nullptr;
  for (const ProjectionTerm& term : index) {
    const WindowTerm* window = window_term(term.dimension);
    if (window == nullptr) continue;
    if (first == nullptr) first = window;
    if (window->side == first->side) continue;
    throw InputError(fmt::format("{}: the projection adds {} and {}; R goes with P, S with Q",
                                 place_(term.line), first->dimension, term.dimension));
  }
}

}  // namespace weft::imports
