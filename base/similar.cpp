#include "base/similar.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// Levenshtein's edit distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.at(b.size());
}

}  // namespace

std::string most_similar(std::string_view name, std::span<const std::string> known) {
  if (known.empty() || name.empty() || name.size() > 64) return "";
  const std::size_t most = std::min<std::size_t>(3, name.size() / 3);
  const std::string typed = lowered(name);
  const auto same = std::ranges::find(known, typed, lowered);
  if (same != known.end()) return *same;
  const auto distance = [&](const std::string& known_name) {
    const std::string candidate = lowered(known_name);
    if (name.size() > 2 && candidate.starts_with(typed)) return std::size_t{0};
    // At least this many characters are inserted or deleted.
    const std::size_t least =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    return least > most ? least : edit_distance(typed, candidate);
  };
  const auto nearest = std::ranges::min_element(known, {}, distance);
  return distance(*nearest) <= most ? *nearest : "";
}

}  // namespace weft
