#include <stdexcept>

#include "report/machine_json.h"
#include "report/results/result_pair.h"

namespace weft::report {
namespace {

bool is_whole(Quantity quantity) {
  return quantity == Quantity::kCycles || quantity == Quantity::kBytes ||
         quantity == Quantity::kMacs;
}

const char* unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kCycles:
      return "cycles";
    case Quantity::kSeconds:
      return "s";
    case Quantity::kBytes:
      return "B";
    case Quantity::kMacs:
      return "MAC";
    case Quantity::kOpsPerSecond:
      return "OP/s";
    case Quantity::kShare:
      return "share";
    case Quantity::kJoules:
      return "J";
    case Quantity::kWatts:
      return "W";
    case Quantity::kPicojoules:
      return "pJ";
    case Quantity::kSquareMillimeters:
      return "mm2";
    case Quantity::kPrice:
      return "price";
  }
  throw std::logic_error("a quantity without a unit");
}

Json value_json(Quantity quantity, const std::optional<double>& value) {
  if (!value) return nullptr;
  return is_whole(quantity) ? Json(static_cast<std::int64_t>(*value)) : Json(*value);
}

Json row_json(const ResultRow& row) {
  return {{"key", row.key},
          {"name", row.name},
          {"unit", unit_of(row.quantity)},
          {"a", value_json(row.quantity, row.a)},
          {"b", value_json(row.quantity, row.b)},
          {"difference", value_json(row.quantity, row.difference())},
          {"change", or_null(row.change())}};
}

Json rows_json(const std::vector<ResultRow>& rows) {
  Json list = Json::array();
  for (const ResultRow& row : rows) list.push_back(row_json(row));
  return list;
}

Json run_json(const RunResult& run) {
  Json machine = machine_json(run.machine);
  machine["title"] = run.machine_title;
  return {{"file", run.file},
          {"workload", run.workload},
          {"engine", run.engine},
          {"machine", std::move(machine)},
          {"cycles", cycles_json(run.cycles, run.ledger)}};
}

Json keys_json(const ResultPair& pair) {
  Json list = Json::array();
  for (const KeyDifference& each : machine_differences(pair)) {
    list.push_back({{"key", each.key}, {"a", each.a}, {"b", each.b}});
  }
  return list;
}

Json layer_json(const ResultLayer* layer, const MachineConfig& machine) {
  if (layer == nullptr) return nullptr;
  Json json = {{"operator", layer->op},
               {"where", layer->where},
               {"cycles", nullptr},
               {"utilization", nullptr}};
  if (!layer->cycles) return json;
  json["cycles"] = cycles_json(*layer->cycles, layer->ledger);
  if (layer->where != "array" || *layer->cycles == 0) return json;
  json["utilization"] =
      static_cast<double>(layer->useful_macs) /
      (static_cast<double>(*layer->cycles) * machine.array_rows * machine.array_cols);
  return json;
}

Json layers_json(const ResultPair& pair) {
  Json list = Json::array();
  for (const auto& [a, b] : layer_pairs(pair)) {
    list.push_back({{"name", a != nullptr ? a->name : b->name},
                    {"a", layer_json(a, pair.a.machine)},
                    {"b", layer_json(b, pair.b.machine)}});
  }
  return list;
}

}  // namespace

Json pair_json(const ResultPair& pair) {
  return {{"schema", 1},
          {"command", "compare"},
          {"results",
           {{"kind", to_string(pair.kind())},
            {"a", run_json(pair.a)},
            {"b", run_json(pair.b)},
            {"main", rows_json(main_rows(pair))},
            {"ledger", rows_json(ledger_rows(pair))},
            {"traffic", rows_json(traffic_rows(pair))},
            {"cost", rows_json(cost_rows(pair))},
            {"cost_notes", cost_notes(pair)},
            {"machine_differences", keys_json(pair)},
            {"layers", layers_json(pair)}}}};
}

}  // namespace weft::report
