// The report of `weft compare`: a table for people, JSON and CSV for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "report/text.h"
#include "runtime/compare/comparison.h"

namespace weft::report {

/// "4096 x 4096 x 4096", "64 x k x 64 for k from 1 to 100", "resnet50, batch 1".
std::string compared_text(const runtime::CompareReport& report);

/// The table, what its columns mean, and a note for each row. For a sweep: one line per size.
std::string compare_text(const runtime::CompareReport& report, const Style& style);

/// Schema 1; docs/json.md explains each key.
Json compare_json(const runtime::CompareReport& report);

/// A line of column names, then one line per row. Missing values are empty.
std::string compare_csv(const runtime::CompareReport& report);

}  // namespace weft::report
