#include "report/plan/plan_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/version.h"
#include "report/explain/json_fields.h"
#include "report/explain/report_file.h"
#include "report/json.h"
#include "sim/config/config_keys.h"
#include "sim/config/text_hash.h"

namespace weft::report {
namespace {

using compiler::Fit;
using compiler::InstructionOrder;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

std::string hex(const TextHash& hash) {
  return fmt::format("{:016x}", hash.value());
}

std::string attribute_text(const graph::Attribute& attribute) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, graph::Tensor>) {
          return graph::to_string(value.value_type());
        } else {
          return fmt::format("{}", value);
        }
      },
      attribute);
}

// --- Names of choices ---

template <class Value, std::size_t kCount = 2>
using Names = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Names<InstructionOrder, 3> kOrders = {{{"by start", InstructionOrder::kByStart},
                                                 {"by layer", InstructionOrder::kByLayer},
                                                 {"by tile", InstructionOrder::kByTile}}};
constexpr Names<Fit> kFits = {{{"next", Fit::kNext}, {"first", Fit::kFirst}}};
constexpr Names<LoopOrder> kLoopOrders = {{{"chunks outermost", LoopOrder::kChunkOutermost},
                                           {"chunks innermost", LoopOrder::kChunkInnermost}}};

template <class Value, std::size_t kCount>
std::string_view name_of(const Names<Value, kCount>& names, Value value) {
  return std::ranges::find(names, value, [](const auto& each) { return each.second; })->first;
}

template <class Value, std::size_t kCount>
Value read_name(const Names<Value, kCount>& names, const JsonFields& fields,
                const std::string& key) {
  const Json& given = fields.at(key);
  std::string all;
  for (const auto& [name, value] : names) {
    if (given == name) return value;
    const bool last = name == names.back().first;
    all += fmt::format("{}\"{}\"", all.empty() ? "" : last ? " or " : ", ", name);
  }
  const std::string is =
      given.is_string() ? fmt::format("is {}", printable(given.get<std::string>())) : "is no text";
  fields.fail(key, fmt::format("{}; must be {}", is, all));
}

// --- Writing ---

Json to_json(const compiler::LayerPlan& plan) {
  return {{"layer", plan.layer},
          {"form", plan.form},
          {"images", plan.images},
          {"bands", plan.bands},
          {"keep_halo", plan.keep_halo},
          {"chunk_rows", plan.chunk_rows},
          {"buffered_tiles", plan.buffered_tiles}};
}

/// A layer takes a line.
std::string to_text(const compiler::LayersPlan& plan) {
  std::string text = fmt::format(
      R"({{"unified_buffer_kib": {}, "accumulator_rows": {}, "weight_fifo_tiles": {}, )"
      R"("staging_rows": {}, "tile_slots": {}, "order": "{}", "fit": "{}", "cut_inputs": {}, )"
      R"("round": {}, "rounds_at_once": {}, "merged": {}, )"
      R"("layers": [)",
      plan.capacities.unified_buffer_kib, plan.capacities.accumulator_rows,
      plan.capacities.weight_fifo_tiles, plan.staging_rows, plan.tile_slots,
      name_of(kOrders, plan.order), name_of(kFits, plan.fit), plan.cut_inputs, plan.round,
      plan.rounds_at_once, plan.merged);
  std::string_view before = "\n      ";
  for (const compiler::LayerPlan& layer : plan.layers) {
    text += before;
    text += to_json(layer).dump(-1, ' ', false, Json::error_handler_t::replace);
    before = ",\n      ";
  }
  return text + "\n    ]}";
}

std::string to_text(const compiler::ProductPlan& plan) {
  const Json product = {{"layer", plan.layer},
                        {"order", name_of(kLoopOrders, plan.order)},
                        {"chunk_rows", plan.chunk_rows},
                        {"activations_resident", plan.activations_resident},
                        {"activation_slots", plan.activation_slots},
                        {"bias_slots", plan.bias_slots},
                        {"tile_slots", plan.tile_slots},
                        {"buffered_tiles", plan.buffered_tiles},
                        {"stores_by_row", plan.stores_by_row},
                        {"weight_fifo_tiles", plan.weight_fifo_tiles},
                        {"queue_depth", plan.queue_depth}};
  return fmt::format(R"({{"product": {}}})",
                     product.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string to_text(const std::optional<bool>& choice) {
  return !choice ? "null" : *choice ? "true" : "false";
}

/// What the plan says, without what it is for.
std::string decisions_text(const compiler::NetworkPlan& plan) {
  std::string text;
  for (const auto& [name, choice] : compiler::kNetworkChoices) {
    text += fmt::format("  \"{}\": {},\n", name, to_text(plan.choices.*choice));
  }
  text += "  \"programs\": [";
  std::string_view before = "\n    ";
  for (const compiler::ProgramPlan& program : plan.programs) {
    text += before;
    text += std::visit([](const auto& each) { return to_text(each); }, program);
    before = ",\n    ";
  }
  return text + "\n  ]\n";
}

Json keys_json(const MachineConfig& machine) {
  Json json = Json::object();
  for (const ConfigKey& key : config_keys()) {
    if (key.name != "machine.name") json[key.name] = key.print(machine);
  }
  return json;
}

// --- Reading ---

void check_version(const JsonFields& file) {
  const std::string written = file.text("weft");
  if (written == version()) return;
  throw InputError(
      fmt::format("is a plan of weft {}, and this is weft {}; delete it to search again",
                  printable(written), version()));
}

/// An ONNX file may have been moved or renamed since, so its fingerprint decides.
bool may_be_named(const std::string& name, const PlannedWorkload& workload) {
  return name == workload.network ||
         (name.ends_with(".onnx") && workload.network.ends_with(".onnx"));
}

void check_network(const JsonFields& network, const PlannedWorkload& workload) {
  network.allow({"name", "inputs", "fingerprint"});
  const std::string name = network.text("name");
  const std::string inputs = network.text("inputs");
  const bool same =
      network.text("fingerprint") == workload.fingerprint && inputs == workload.inputs;
  if (same && may_be_named(name, workload)) return;
  if (name != workload.network) {
    throw InputError(
        fmt::format("is a plan for {}, not for {}", printable(name), printable(workload.network)));
  }
  throw InputError(
      inputs != workload.inputs
          ? fmt::format("is a plan for {} with the inputs {}, and here they are {}",
                        printable(name), printable(inputs), printable(workload.inputs))
          : fmt::format("is a plan for {} with other shapes or other layers", printable(name)));
}

void check_machine(const JsonFields& machine, const PlannedWorkload& workload) {
  const Json here = keys_json(workload.machine);
  machine.allow_like(here);
  for (const auto& [key, value] : here.items()) {
    const std::string planned = machine.text(key);
    if (planned == value) continue;
    throw InputError(fmt::format("is a plan for another machine: {} is {} there and {} here", key,
                                 printable(planned), value.get<std::string>()));
  }
}

std::optional<bool> read_choice(const JsonFields& file, const std::string& key) {
  const Json& choice = file.at(key);
  if (choice.is_null()) return std::nullopt;
  if (!choice.is_boolean()) file.fail(key, "is none of true, false and null");
  return choice.get<bool>();
}

/// A number whose limit follows from the machine, and is checked with it.
std::uint32_t read_count(const JsonFields& fields, const std::string& key, std::int64_t least) {
  const std::int64_t count = fields.number(key, least, kLargest);
  if (count > kMost32) fields.fail(key, "is too large");
  return static_cast<std::uint32_t>(count);
}

compiler::LayerPlan read_layer(const Json& json, const std::string& place) {
  const std::string name = JsonFields(json, place).text("layer");
  const JsonFields layer(json, fmt::format("layer {}:", printable(name)));
  layer.allow({"layer", "form", "images", "bands", "keep_halo", "chunk_rows", "buffered_tiles"});
  return {name,
          static_cast<std::size_t>(layer.number("form", 0, kLargest)),
          layer.number("images", 1, kLargest),
          layer.number("bands", 1, kLargest),
          layer.boolean("keep_halo"),
          layer.number("chunk_rows", 0, kLargest),
          static_cast<std::uint32_t>(layer.number("buffered_tiles", 0, kTileShares))};
}

compiler::ProductPlan read_product(const Json& json, const std::string& place) {
  const std::string name = JsonFields(json, place).text("layer");
  const JsonFields product(json, fmt::format("layer {}:", printable(name)));
  product.allow({"layer", "order", "chunk_rows", "activations_resident", "activation_slots",
                 "bias_slots", "tile_slots", "buffered_tiles", "stores_by_row", "weight_fifo_tiles",
                 "queue_depth"});
  const auto rows = [&](const std::string& key) { return read_count(product, key, 0); };
  return {name,
          read_name(kLoopOrders, product, "order"),
          rows("chunk_rows"),
          product.boolean("activations_resident"),
          rows("activation_slots"),
          rows("bias_slots"),
          rows("tile_slots"),
          static_cast<std::uint32_t>(product.number("buffered_tiles", 0, kTileShares)),
          product.boolean("stores_by_row"),
          rows("weight_fifo_tiles"),
          rows("queue_depth")};
}

compiler::Capacities read_capacities(const JsonFields& program) {
  const auto read = [&](const std::string& key) { return read_count(program, key, 1); };
  return {read("unified_buffer_kib"), read("accumulator_rows"), read("weight_fifo_tiles")};
}

compiler::ProgramPlan read_program(const Json& json, const std::string& place) {
  const JsonFields program(json, place);
  if (program.has("product")) {
    if (program.has("layers")) program.fail("product", "stands beside layers; keep one of them");
    program.allow({"product"});
    return read_product(program.at("product"), place + ".product");
  }
  program.allow({"unified_buffer_kib", "accumulator_rows", "weight_fifo_tiles", "staging_rows",
                 "tile_slots", "order", "fit", "cut_inputs", "round", "rounds_at_once", "merged",
                 "layers"});
  compiler::LayersPlan plan;
  plan.capacities = read_capacities(program);
  plan.staging_rows = static_cast<std::uint64_t>(program.number("staging_rows", 0, kLargest));
  plan.tile_slots = read_count(program, "tile_slots", 0);
  plan.order = read_name(kOrders, program, "order");
  plan.fit = read_name(kFits, program, "fit");
  plan.cut_inputs = program.boolean("cut_inputs");
  plan.round = program.number("round", 0, kLargest);
  plan.rounds_at_once = program.number("rounds_at_once", 1, kLargest);
  plan.merged = program.number("merged", 0, kLargest);
  const Json& layers = program.at("layers");
  if (!layers.is_array()) program.fail("layers", "is not a list");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    plan.layers.push_back(read_layer(layers[i], fmt::format("{}.layers[{}]", place, i)));
  }
  return plan;
}

}  // namespace

PlannedWorkload planned_workload(std::string network, const graph::Graph& graph,
                                 const MachineConfig& machine) {
  TextHash print;
  for (const graph::Value& value : graph.values) {
    print.add(fmt::format("{} {}{};", value.name, graph::to_string(value.type),
                          value.constant ? " constant" : ""));
  }
  for (const graph::Node& node : graph.nodes) {
    print.add(fmt::format("{} {}", static_cast<int>(node.op), node.name));
    for (const auto& [name, value] : node.attributes.entries()) {
      print.add(fmt::format(" {}={}", name, attribute_text(value)));
    }
    for (const graph::ValueId id : node.inputs) print.add(fmt::format(" {}", id));
    for (const graph::ValueId id : node.outputs) print.add(fmt::format(" {}", id));
    print.add(";");
  }
  std::vector<std::string> inputs;
  for (const graph::ValueId id : graph.inputs) {
    const graph::Value& value = graph.values[id];
    inputs.push_back(fmt::format("{} {}", value.name, graph::to_string(value.type)));
  }
  return {std::move(network), fmt::format("{}", fmt::join(inputs, ", ")), hex(print), machine};
}

std::string plan_hash(const compiler::NetworkPlan& plan) {
  TextHash print;
  print.add(decisions_text(plan));
  return hex(print);
}

std::string plan_file_text(const compiler::NetworkPlan& plan, const PlannedWorkload& workload) {
  const Json network = {{"name", workload.network},
                        {"inputs", workload.inputs},
                        {"fingerprint", workload.fingerprint}};
  const auto line = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  return fmt::format("{{\n  \"weft\": \"{}\",\n  \"network\": {},\n  \"machine\": {},\n{}}}\n",
                     version(), line(network), line(keys_json(workload.machine)),
                     decisions_text(plan));
}

compiler::NetworkPlan read_plan_file(const std::string& name, const PlannedWorkload& workload) {
  const Json json = parse_json_file(name, "is not a plan");
  const JsonFields file(json, "");
  check_version(file);
  file.allow({"weft", "network", "machine", "packed_taps", "joined_lines", "line_borders",
              "line_slices", "turned_results", "turned_values", "depthwise_on_vector_unit",
              "programs"});
  check_network(file.object("network"), workload);
  check_machine(file.object("machine"), workload);
  compiler::NetworkPlan plan;
  for (const auto& [key, choice] : compiler::kNetworkChoices) {
    plan.choices.*choice = read_choice(file, std::string(key));
  }
  const Json& programs = file.at("programs");
  if (!programs.is_array()) file.fail("programs", "is not a list");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    plan.programs.push_back(read_program(programs[i], fmt::format("programs[{}]", i)));
  }
  return plan;
}

}  // namespace weft::report
