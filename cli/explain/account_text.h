// The account of a run in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/explain/fold_account.h"

namespace weft::cli {

inline constexpr std::size_t kTextWidth = 100;

/// A table: a fold's place, its cycles and what happens in them. At most some 110 columns.
std::string account_text(const Account& account, const ContractionShape& shape,
                         const MachineConfig& config);

/// What one entry waits for and does: "2 of 4 rows are padding; waits 5 cycles for its weights".
std::string entry_words(const AccountEntry& entry, const MachineConfig& config);

/// docs/json.md has the keys.
nlohmann::ordered_json account_json(const Account& account, const ContractionShape& shape);

/// `sentence` in lines of at most kTextWidth, the first indented by two, the others by four.
std::string wrapped(const std::string& sentence);

}  // namespace weft::cli
