#include "report/sweep/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft::report {
namespace {

using sweep::Cell;

/// A list that is longer than this shows its ends.
constexpr std::size_t kShownValues = 8;
constexpr std::size_t kShownFronts = 20;

std::string values_text(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.size() > kShownValues && i == kShownValues / 2) {
      text += ", ...";
      i = values.size() - kShownValues / 2;
    }
    text += (text.empty() ? "" : ", ") + values[i];
  }
  return text;
}

std::string figure(const sweep::Metric& metric, std::span<const Cell> row) {
  const Cell& cell = row[sweep::column_index(metric.column)];
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return grouped(static_cast<std::uint64_t>(*whole));
  }
  return fmt::format("{:.4g}", std::abs(sweep::cost(metric, row)));
}

/// The columns that tell the points apart and are not figures of the front.
std::vector<std::size_t> shown_columns(const std::vector<sweep::Metric>& metrics,
                                       const sweep::Fronts::Front& front) {
  std::vector<std::size_t> columns = sweep::Fronts::telling_columns(front);
  std::erase_if(columns, [&](std::size_t column) {
    return std::ranges::any_of(metrics, [&](const sweep::Metric& metric) {
      return metric.column == sweep::columns()[column].name;
    });
  });
  return columns;
}

/// Why a front has no point.
std::string empty_text(const std::vector<sweep::Metric>& metrics,
                       const sweep::Fronts::Front& front) {
  static const std::size_t kEnergies = sweep::column_index("energies");
  if (front.failed == front.rows) return "  every point failed\n";
  const bool priced = std::ranges::any_of(metrics, sweep::needs_energies);
  const bool has_table = !front.first.empty() && front.first[kEnergies] != Cell();
  if (priced && !has_table) {
    return "  no point has energies: the machine has no power.node; name a table with --energy\n";
  }
  return "  no point has these figures\n";
}

std::string front_table(const std::vector<sweep::Metric>& metrics,
                        const sweep::Fronts::Front& front, const Style& style,
                        std::size_t most_rows) {
  const std::vector<sweep::Fronts::Entry>& entries = front.entries;
  const std::vector<std::size_t> columns = shown_columns(metrics, front);
  const bool equals =
      std::ranges::any_of(entries, [](const auto& entry) { return entry.equals > 0; });
  std::string alignment(metrics.size(), 'r');
  std::vector<std::string> head;
  for (const sweep::Metric& metric : metrics) head.emplace_back(metric.label);
  for (const std::size_t i : columns) {
    alignment += sweep::columns()[i].type == "TEXT" ? 'l' : 'r';
    head.push_back(sweep::columns()[i].name);
  }
  if (equals) {
    alignment += 'r';
    head.emplace_back("same figures");
  }
  Table table(alignment);
  table.add(head);
  for (std::size_t i = 0; i < std::min(entries.size(), most_rows); ++i) {
    const sweep::Fronts::Entry& entry = entries[i];
    std::vector<std::string> cells;
    for (const sweep::Metric& metric : metrics) cells.push_back(figure(metric, entry.row));
    for (const std::size_t column : columns) cells.push_back(sweep::to_text(entry.row[column]));
    if (equals) cells.push_back(entry.equals > 0 ? grouped(entry.equals) + " more" : "");
    table.add(cells);
  }
  std::string text;
  for (const std::string& line : table.lines(2)) text += text.empty() ? style.bold(line) : line;
  if (entries.size() > most_rows) {
    text += style.dim(fmt::format("  and {} more\n", grouped(entries.size() - most_rows)));
  }
  return text;
}

}  // namespace

std::string axes_text(const sweep::Space& space, const Style& style) {
  Table table("lrl");
  for (const sweep::Axis& axis : space.axes()) {
    table.add({axis.name, counted(axis.values.size(), "value"), values_text(axis.values)});
  }
  std::string text;
  for (const std::string& line : table.lines(2)) text += style.dim(line);
  return text;
}

std::string fronts_text(const sweep::Fronts& fronts, const Style& style, std::size_t most_rows) {
  std::string names;
  for (const sweep::Metric& metric : fronts.metrics()) {
    names += (names.empty() ? "" : " and ") + std::string(metric.name);
  }
  std::string text;
  std::size_t shown = 0;
  for (const sweep::Fronts::Front& front : fronts.fronts()) {
    if (shown++ == kShownFronts) {
      return text + style.dim(fmt::format("and {} of other work\n",
                                          counted(fronts.fronts().size() - kShownFronts, "front")));
    }
    text += fmt::format("{}: Pareto front of {}\n", front.work, names);
    text += front.entries.empty() ? empty_text(fronts.metrics(), front)
                                  : front_table(fronts.metrics(), front, style, most_rows);
  }
  return text;
}

}  // namespace weft::report
