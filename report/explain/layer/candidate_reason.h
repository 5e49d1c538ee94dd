// Why a candidate of a layer lost against what the compiler chose, in one line.
#pragma once

#include <string>

#include "runtime/analysis/candidate_runs.h"

namespace weft::report {

/// Why the candidate was not chosen, or what it would save: one line of measured differences, the
/// largest one by name. "+347 cycles: 300 more waiting for weights; 3.1 % more bytes".
std::string candidate_reason(const runtime::CandidateRun& chosen,
                             const runtime::CandidateRun& candidate);

}  // namespace weft::report
