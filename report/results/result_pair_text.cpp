#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/decimal.h"
#include "base/figures.h"
#include "report/results/result_pair.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

constexpr const char* kNoValue = "-";
constexpr const char* kPairColumns = "lrrrr";

std::string counted_cycles(double cycles) {
  return grouped(static_cast<std::uint64_t>(cycles));
}

/// A value without its sign.
std::string size_text(Quantity quantity, double value) {
  const double size = std::abs(value);
  switch (quantity) {
    case Quantity::kCycles:
      return counted_cycles(size);
    case Quantity::kSeconds:
      return si(size, "s");
    case Quantity::kBytes:
      return si(size, "B");
    case Quantity::kMacs:
      return si(size, "MAC");
    case Quantity::kOpsPerSecond:
      return si(size, "OP/s");
    case Quantity::kShare:
      return percent(size);
    case Quantity::kJoules:
      return si(size, "J");
    case Quantity::kWatts:
      return si(size, "W");
    case Quantity::kPicojoules:
      return si(size * 1e-12, "J");
    case Quantity::kSquareMillimeters:
      return fmt::format("{:.3g} mm2", size);
    case Quantity::kPrice:
      return fmt::format("{:.4g}", size);
  }
  throw std::logic_error("a quantity without a unit");
}

std::string value_text(Quantity quantity, const std::optional<double>& value) {
  if (!value) return kNoValue;
  return (*value < 0 ? "-" : "") + size_text(quantity, *value);
}

std::string difference_text(const ResultRow& row) {
  const auto difference = row.difference();
  if (!difference) return kNoValue;
  if (*difference == 0) return "0";
  if (row.quantity == Quantity::kShare) return fmt::format("{:+.1f} points", 100 * *difference);
  return (*difference < 0 ? "-" : "+") + size_text(row.quantity, *difference);
}

/// Never rounds a change to none.
std::string change_text(const ResultRow& row) {
  const auto change = row.change();
  if (!change) return kNoValue;
  const double percents = 100 * *change;
  if (percents == 0) return "0 %";
  if (percents >= 1000)
    return fmt::format("+{} %", grouped(static_cast<std::uint64_t>(std::llround(percents))));
  return std::abs(percents) < 0.05 ? fmt::format("{:+.1g} %", percents)
                                   : fmt::format("{:+.1f} %", percents);
}

bool is_zero(const ResultRow& row) {
  return row.a.value_or(0) == 0 && row.b.value_or(0) == 0;
}

void add_rows(Table& table, const std::vector<ResultRow>& rows, std::string_view indent) {
  for (const ResultRow& row : rows) {
    if (is_zero(row)) continue;
    table.add({fmt::format("{}{}", indent, row.name), value_text(row.quantity, row.a),
               value_text(row.quantity, row.b), difference_text(row), change_text(row)});
  }
}

std::string quantity_table(const ResultPair& pair) {
  Table table(kPairColumns);
  table.add({"", "A", "B", "B - A", "change"});
  std::vector<ResultRow> rows = main_rows(pair);
  add_rows(table, {rows.front()}, "");
  add_rows(table, ledger_rows(pair), "  ");
  add_rows(table, {rows.begin() + 1, rows.end()}, "");
  rows = traffic_rows(pair);
  add_rows(table, {rows.back()}, "");
  rows.pop_back();
  add_rows(table, rows, "  ");
  add_rows(table, cost_rows(pair), "");
  std::string text = table.text(2);
  for (const std::string& note : cost_notes(pair)) text += wrapped(note);
  return text;
}

std::string machine_table(const ResultPair& pair, const Style& style) {
  const std::vector<KeyDifference> differences = machine_differences(pair);
  if (differences.empty()) return '\n' + wrapped("The machines do not differ.");
  Table table("lll");
  table.add({"machine", "A", "B"});
  for (const KeyDifference& each : differences) table.add({each.key, each.a, each.b});
  return '\n' + style.bold("in what the machines differ") + '\n' + table.text(2);
}

std::optional<double> cycles_of(const ResultLayer* layer) {
  if (layer == nullptr || !layer->cycles) return std::nullopt;
  return static_cast<double>(*layer->cycles);
}

std::string layer_table(const ResultPair& pair, const Style& style) {
  if (pair.a.layers.empty() && pair.b.layers.empty()) return "";
  Table table(kPairColumns);
  table.add({"layer", "A", "B", "B - A", "change"});
  for (const auto& [a, b] : layer_pairs(pair)) {
    const std::string& name = a != nullptr ? a->name : b->name;
    const ResultRow row{name, name, Quantity::kCycles, cycles_of(a), cycles_of(b)};
    table.add({name, value_text(row.quantity, row.a), value_text(row.quantity, row.b),
               difference_text(row), change_text(row)});
  }
  return '\n' + style.bold("cycles of each layer") + '\n' + table.text(2);
}

}  // namespace

std::string run_line(const char* name, const RunResult& run) {
  const MachineConfig& machine = run.machine;
  return fmt::format("{}: {}: {}: {} x {} {}, {} MHz, engine {}", name, run.file, run.machine_title,
                     machine.array_rows, machine.array_cols, to_string(machine.dtype),
                     print_decimal(machine.clock_hz, 6), run.engine);
}

std::string pair_text(const ResultPair& pair, const Style& style) {
  std::string text = style.bold(pair_title(pair)) + '\n' + wrapped(run_line("A", pair.a)) +
                     wrapped(run_line("B", pair.b)) + '\n' + quantity_table(pair);
  return text + machine_table(pair, style) + layer_table(pair, style);
}

}  // namespace weft::report
