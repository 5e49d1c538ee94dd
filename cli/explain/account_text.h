// The account of a run in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/explain/fold_account.h"

namespace weft::cli {

/// Two or three lines a fold: its place and padding, when it is pushed, streamed and drained, what
/// it waits for; then what the machine does behind the last row. At most kPageWidth columns.
std::string account_text(const Account& account, const ContractionShape& shape,
                         const MachineConfig& config);

/// docs/json.md has the keys.
nlohmann::ordered_json account_json(const Account& account, const ContractionShape& shape);

}  // namespace weft::cli
