// The rows of a sweep as CSV and as JSON, written one by one: a sweep may have more rows than fit
// in memory.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/json.h"
#include "runtime/sweep/columns.h"

namespace weft::report {

/// A number, a string or null.
Json cell_json(const sweep::Cell& cell);

/// The line of column names, and the line of a row (RFC 4180, but with single line ends).
std::string csv_header();
std::string csv_row(std::span<const sweep::Cell> row);

/// What stands before, between and behind the rows of the JSON object {"schema": 1, "command":
/// "sweep", "weft": ..., "points": [...]}; docs/json.md.
std::string json_begin();
std::string json_row(std::span<const sweep::Cell> row, bool first);
std::string json_end();

}  // namespace weft::report
