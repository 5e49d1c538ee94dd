// What `weft explain NETWORK --layer NAME` reports: the layer's candidates side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "compiler/schedule/compile_network.h"
#include "report/explain/layer/candidates_report.h"
#include "report/json.h"
#include "report/report.h"
#include "report/streams.h"

namespace weft::report {

struct LayerExplanation {
  RunReport report;
  std::size_t layer = 0;  // of report.run.layers
  compiler::ScheduledNetwork network;
  std::optional<LayerCandidates> candidates;  // nullopt: the host computes the layer

  const runtime::LayerRun& asked() const { return report.run.layers[layer]; }
};

/// The number of the layer with this name. Throws InputError with a similar name, or else with
/// `list_command`, which lists the layers.
std::size_t find_layer(const RunReport& report, std::string_view name,
                       std::string_view list_command);

/// The report of the network, with `layer` and `candidates`.
Json layer_explanation_json(const LayerExplanation& explanation);

void print_layer(const LayerExplanation& explanation, const Streams& streams);

}  // namespace weft::report
