// The report of `weft compare`: a table for people, JSON and CSV for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/compare_row.h"
#include "cli/text.h"

namespace weft::cli {

/// The compared network.
struct ComparedNetwork {
  std::string name = {};
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence = {};
};

/// A sweep over one size. The report has one row per device and size, with sizes in the outer loop.
struct ComparedSweep {
  char dimension = 'n';
  std::uint64_t step = 1;
  std::vector<std::uint64_t> sizes = {};
};

struct CompareReport {
  devices::GemmShape shape = {};  // of a product; a sweep replaces one of its sizes
  std::optional<ComparedNetwork> network = {};
  std::optional<ComparedSweep> sweep = {};
  double flop = 0;  // not used for a sweep
  std::vector<CompareRow> rows = {};
};

/// "4096 x 4096 x 4096", "64 x k x 64 for k from 1 to 100", "resnet50, batch 1".
std::string compared_text(const CompareReport& report);

/// The table, what its columns mean, and a note for each row. For a sweep: one line per size.
std::string compare_text(const CompareReport& report, const Style& style);

/// Schema 1; docs/json.md explains each key.
Json compare_json(const CompareReport& report);

/// A line of column names, then one line per row. Missing values are empty.
std::string compare_csv(const CompareReport& report);

}  // namespace weft::cli
