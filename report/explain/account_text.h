// The account of a run as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/analysis/fold_account.h"

namespace weft::report {

/// Two or three lines per fold: its place and padding; when it is pushed, streamed and drained;
/// what it waits for. Then the cycles after the last row. At most kPageWidth columns.
std::string account_text(const runtime::Account& account, const runtime::ContractionShape& shape,
                         const MachineConfig& config);

/// docs/json.md explains each key.
nlohmann::ordered_json account_json(const runtime::Account& account,
                                    const runtime::ContractionShape& shape);

}  // namespace weft::report
