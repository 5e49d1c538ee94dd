#include "report/results/result_pair.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

std::optional<double> to_real(std::optional<std::uint64_t> value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> bound_of(const RunResult& run) {
  return run.bound ? std::optional(static_cast<double>(*run.bound)) : std::nullopt;
}

std::optional<double> bound_share_of(const RunResult& run) {
  if (!run.bound || run.cycles == 0) return std::nullopt;
  return static_cast<double>(*run.bound) / static_cast<double>(run.cycles);
}

double array_macs(const RunResult& run) {
  return static_cast<double>(run.cycles) * run.machine.array_rows * run.machine.array_cols;
}

std::optional<double> share_used_of(const RunResult& run) {
  if (!run.useful_macs || run.cycles == 0) return std::nullopt;
  return static_cast<double>(*run.useful_macs) / array_macs(run);
}

std::optional<double> padding_share_of(const RunResult& run) {
  if (!run.useful_macs || run.issued_macs == 0) return std::nullopt;
  return 1 - static_cast<double>(*run.useful_macs) / static_cast<double>(run.issued_macs);
}

std::optional<double> speed_of(const RunResult& run) {
  if (!run.useful_macs || run.cycles == 0) return std::nullopt;
  return 2 * static_cast<double>(*run.useful_macs) / run.seconds();
}

/// The row of a quantity that `of` computes from a run.
template <class Of>
ResultRow quantity_row(const ResultPair& pair, std::string key, std::string name, Quantity quantity,
                       Of of) {
  return {std::move(key), std::move(name), quantity, of(pair.a), of(pair.b)};
}

ResultRow bytes_row(const ResultPair& pair, const char* key, const char* name,
                    std::uint64_t Traffic::*bytes) {
  return quantity_row(pair, key, name, Quantity::kBytes,
                      [&](const RunResult& run) { return to_real(run.traffic.*bytes); });
}

std::optional<double> all_bytes(const RunResult& run) {
  const Traffic& traffic = run.traffic;
  return to_real(traffic.weight_bytes + traffic.input_bytes + traffic.output_bytes);
}

/// Says for each run that lacks what the other has why it does; `why` belongs to that run.
template <class Why>
void add_lack(std::vector<std::string>& notes, const ResultPair& pair, const char* what,
              std::optional<double> RunCost::*figure, Why why) {
  const bool in_a = (pair.a.cost.*figure).has_value();
  const bool in_b = (pair.b.cost.*figure).has_value();
  if (in_a == in_b) return;
  notes.push_back(
      fmt::format("{} has no {}: {}.", in_a ? "B" : "A", what, why((in_a ? pair.b : pair.a).cost)));
}

/// A layer's name and how many layers before it have the same.
using LayerId = std::pair<std::string, std::size_t>;

std::vector<LayerId> ids_of(const std::vector<ResultLayer>& layers) {
  std::map<std::string, std::size_t> seen;
  std::vector<LayerId> ids;
  ids.reserve(layers.size());
  for (const ResultLayer& layer : layers) ids.emplace_back(layer.name, seen[layer.name]++);
  return ids;
}

}  // namespace

std::optional<double> ResultRow::difference() const {
  return a && b ? std::optional(*b - *a) : std::nullopt;
}

std::optional<double> ResultRow::change() const {
  if (!a || !b) return std::nullopt;
  if (*a == *b) return 0;
  return *a == 0 ? std::nullopt : std::optional((*b - *a) / *a);
}

ResultPair pair_results(RunResult a, RunResult b) {
  if (a.kind != b.kind) {
    throw InputError(fmt::format("{} is the result of a {}, {} of a {}; give two of one kind",
                                 a.file, to_string(a.kind), b.file, to_string(b.kind)));
  }
  return {std::move(a), std::move(b)};
}

std::vector<ResultRow> main_rows(const ResultPair& pair) {
  return {quantity_row(pair, "total", "cycles", Quantity::kCycles,
                       [](const RunResult& run) { return std::optional<double>(run.cycles); }),
          quantity_row(pair, "bound", "bound", Quantity::kCycles, bound_of),
          quantity_row(pair, "bound_share", "bound / cycles", Quantity::kShare, bound_share_of),
          quantity_row(pair, "seconds", "time", Quantity::kSeconds,
                       [](const RunResult& run) { return std::optional(run.seconds()); }),
          quantity_row(pair, "utilization", "of the array used", Quantity::kShare, share_used_of),
          quantity_row(pair, "padding_waste", "padding waste", Quantity::kShare, padding_share_of),
          quantity_row(pair, "ops_per_second", "speed", Quantity::kOpsPerSecond, speed_of),
          quantity_row(pair, "useful_macs", "useful MACs", Quantity::kMacs,
                       [](const RunResult& run) { return to_real(run.useful_macs); }),
          quantity_row(pair, "issued_macs", "issued MACs", Quantity::kMacs,
                       [](const RunResult& run) { return to_real(run.issued_macs); })};
}

std::vector<ResultRow> ledger_rows(const ResultPair& pair) {
  std::vector<ResultRow> rows;
  rows.reserve(kLedgerClasses.size());
  for (const LedgerClass& entry : kLedgerClasses) {
    rows.push_back(quantity_row(
        pair, std::string(entry.name), std::string(entry.name), Quantity::kCycles,
        [&](const RunResult& run) { return std::optional<double>(run.ledger.*entry.cycles); }));
  }
  return rows;
}

std::vector<ResultRow> traffic_rows(const ResultPair& pair) {
  return {bytes_row(pair, "weight_bytes", "weights", &Traffic::weight_bytes),
          bytes_row(pair, "input_bytes", "inputs", &Traffic::input_bytes),
          bytes_row(pair, "output_bytes", "outputs", &Traffic::output_bytes),
          quantity_row(pair, "bytes", "traffic", Quantity::kBytes, all_bytes)};
}

std::vector<ResultRow> cost_rows(const ResultPair& pair) {
  std::vector<ResultRow> rows;
  const auto add = [&](const char* key, const char* name, Quantity quantity,
                       std::optional<double> RunCost::*figure) {
    const ResultRow row = {key, name, quantity, pair.a.cost.*figure, pair.b.cost.*figure};
    if (row.a || row.b) rows.push_back(row);
  };
  add("joules", "energy", Quantity::kJoules, &RunCost::joules);
  add("watts", "power", Quantity::kWatts, &RunCost::watts);
  add("pj_per_mac", "energy a MAC", Quantity::kPicojoules, &RunCost::pj_per_mac);
  add("array_mm2", "area of the array", Quantity::kSquareMillimeters, &RunCost::array_mm2);
  add("per_hour", "price an hour", Quantity::kPrice, &RunCost::per_hour);
  add("per_million", "price of a million", Quantity::kPrice, &RunCost::per_million);
  return rows;
}

std::vector<std::string> cost_notes(const ResultPair& pair) {
  std::vector<std::string> notes;
  const RunCost& a = pair.a.cost;
  const RunCost& b = pair.b.cost;
  add_lack(notes, pair, "energy", &RunCost::joules,
           [](const RunCost&) { return "its run was without --energy"; });
  if (a.table && b.table) {
    add_lack(notes, pair, "energy a MAC", &RunCost::pj_per_mac,
             [](const RunCost&) { return "it computes no MACs, or does not say how many"; });
    add_lack(notes, pair, "area", &RunCost::array_mm2, [](const RunCost& cost) {
      return fmt::format("the energies of {} give none of gates and flip-flops",
                         printable(*cost.table));
    });
    if (*a.table != *b.table) {
      notes.push_back(fmt::format("The energies differ: A has those of {}, B those of {}.",
                                  printable(*a.table), printable(*b.table)));
    }
  }
  add_lack(notes, pair, "price", &RunCost::per_million,
           [](const RunCost&) { return "its run was without --price-per-hour"; });
  return notes;
}

std::vector<KeyDifference> machine_differences(const ResultPair& pair) {
  std::vector<KeyDifference> differences;
  for (const ConfigKey& key : config_keys()) {
    std::string a = key.print(pair.a.machine);
    std::string b = key.print(pair.b.machine);
    if (a != b) differences.push_back({key.name, std::move(a), std::move(b)});
  }
  return differences;
}

std::vector<LayerPair> layer_pairs(const ResultPair& pair) {
  const std::vector<LayerId> ids_a = ids_of(pair.a.layers);
  const std::vector<LayerId> ids_b = ids_of(pair.b.layers);
  const std::map<LayerId, std::size_t> in_a = [&] {
    std::map<LayerId, std::size_t> index;
    for (std::size_t i = 0; i < ids_a.size(); ++i) index.emplace(ids_a[i], i);
    return index;
  }();
  std::vector<const ResultLayer*> matches(ids_a.size());
  // Layers of B alone, by the number of A's layers that stand before them.
  std::vector<std::vector<const ResultLayer*>> alone(ids_a.size() + 1);
  std::size_t place = 0;
  for (std::size_t i = 0; i < ids_b.size(); ++i) {
    const auto found = in_a.find(ids_b[i]);
    if (found == in_a.end()) {
      alone[place].push_back(&pair.b.layers[i]);
      continue;
    }
    matches[found->second] = &pair.b.layers[i];
    place = found->second + 1;
  }
  std::vector<LayerPair> pairs;
  for (std::size_t i = 0; i <= ids_a.size(); ++i) {
    for (const ResultLayer* layer : alone[i]) pairs.push_back({nullptr, layer});
    if (i < ids_a.size()) pairs.push_back({&pair.a.layers[i], matches[i]});
  }
  return pairs;
}

std::string pair_title(const ResultPair& pair) {
  const bool same = pair.a.workload == pair.b.workload;
  const std::string what =
      same ? fmt::format("{} {}", to_string(pair.kind()), pair.a.workload)
           : fmt::format("{} A {}, B {}", to_string(pair.kind()), pair.a.workload, pair.b.workload);
  const Cycle difference = pair.b.cycles - pair.a.cycles;
  if (difference == 0) return fmt::format("{}: A and B take the same cycles", what);
  return fmt::format("{}: B takes {} {} than A", what,
                     counted(static_cast<std::uint64_t>(std::abs(difference)), "cycle"),
                     difference > 0 ? "more" : "less");
}

std::optional<std::string> workload_note(const ResultPair& pair) {
  if (pair.a.workload == pair.b.workload) return std::nullopt;
  return fmt::format("The runs computed different things: A {}, B {}.", pair.a.workload,
                     pair.b.workload);
}

}  // namespace weft::report
