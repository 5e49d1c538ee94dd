// The candidates of a layer side by side, as text and as JSON, and what larger buffers or a larger
// batch would win.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "report/text.h"
#include "runtime/analysis/candidate_runs.h"
#include "runtime/analysis/doubled_sizes.h"
#include "sim/config/machine_config.h"

namespace weft::report {

struct LayerCandidates {
  runtime::CandidateRuns candidates;
  /// nullopt: not simulated, because the network followed a plan or is too long.
  std::optional<std::vector<runtime::DoubledSize>> doubled;
  std::string without_doubled;  // the reason
  bool can_search_longer = false;
};

/// Times the candidates of a layer that the machine runs and, unless the network has too many
/// instructions, the doubled sizes. Throws as they do.
LayerCandidates compare_candidates(const runtime::ChosenLayer& chosen,
                                   const runtime::LargerBatch& batch,
                                   const std::function<void(double)>& progress);

/// A table with up to eight candidates, and sentences about the others and the doubled sizes.
std::string candidates_text(const LayerCandidates& layer, const Style& style);

/// What is to say below the first `shown` candidates: decisions without a run of their own, and
/// candidates that are not shown.
std::vector<std::string> other_sentences(const LayerCandidates& layer, std::size_t shown);
/// What each doubled size would save, or why none was simulated.
std::vector<std::string> doubled_sentences(const LayerCandidates& layer);

/// docs/json.md explains each key.
Json candidates_json(const LayerCandidates& layer, const MachineConfig& config);

}  // namespace weft::report
