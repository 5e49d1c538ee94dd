// What `weft explain conv` reports: how pixels, taps, channels and filters lie on the array, the
// run on the analytic engine, its account fold by fold, and advice.
//
//            K: tap after tap, the channels of each in whole tiles        N: filters
//          tap 0,0     tap 0,1     ...                                  ┌────┬────┐
//        ┌────┬────┐ ┌────┬────┐                                tap 0,0 │    │    │
//   M    │    │ ░░ │ │    │ ░░ │      rows of the image, shifted by     ├────┼────┤
// pixels │    │ ░░ │ │    │ ░░ │      the tap; outside it the border    │░░░░│░░░░│ ...
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/mapping/tiling_plan.h"
#include "compiler/schedule/compile_network.h"
#include "report/explain/layer/candidates_report.h"
#include "report/report.h"
#include "report/streams.h"
#include "runtime/analysis/fold_account.h"
#include "runtime/analysis/sweep.h"
#include "runtime/workload/network_conv.h"

namespace weft::report {

/// The convolution on the array.
struct ArrayConv {
  runtime::ContractionShape shape;
  std::uint64_t rows = 0;  // M: images times pixels of the result, by joined lines
  std::uint64_t chunks = 0;
  std::uint64_t chunk_rows = 0;            // of the largest
  std::uint64_t folds = 0;                 // tiles swapped in
  FormulaTerms formula;                    // no stalls
  std::vector<std::uint64_t> border_rows;  // for each tap, the number of rows outside the image
  Result result;
  std::string excess;  // by what the array span exceeds the formula; empty if it does not
  runtime::Account account;

  std::uint64_t formula_cycles() const { return formula.cycles(); }
};

struct ConvExplanation {
  runtime::ConvSpec spec;
  RunReport report;
  std::optional<ArrayConv> array;  // nullopt: runs on the vector unit or the host
  std::vector<std::string> advice;
  graph::Graph graph;
  compiler::ScheduledNetwork network;         // of the graph
  std::optional<LayerCandidates> candidates;  // nullopt: not timed, or the host computes it
  std::optional<runtime::Sweep> sweep;        // shown in place of the folds
};

/// Throws InputError, ConfigError.
ConvExplanation explain_conv(const runtime::ConvSpec& spec, const MachineConfig& config,
                             std::uint64_t steps);

/// Times the other ways to run the convolution, unless the host computes it.
void add_candidates(ConvExplanation& explanation, const std::function<void(double)>& progress);

/// The report of the network with `plan`, `cycles.array_span`, `account`, `advice`, `candidates`
/// and `sweep`.
nlohmann::ordered_json conv_explanation_json(const ConvExplanation& explanation);

void print_conv(const ConvExplanation& explanation, const Streams& streams);

}  // namespace weft::report
