// A sweep over one size as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/analysis/sweep.h"

namespace weft::report {

/// docs/json.md explains each key.
nlohmann::ordered_json sweep_json(const runtime::Sweep& sweep);
/// A heading, then one row per point.
std::string sweep_text(const runtime::Sweep& sweep);

}  // namespace weft::report
