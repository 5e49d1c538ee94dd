// The columns of the table `points`, in their order: what a database, a CSV file and a JSON file of
// a sweep hold. docs/sweep.md describes each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/sweep/points/figures.h"
#include "runtime/sweep/space/space.h"

namespace weft::sweep {

/// A value of a row; monostate is SQL's NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Column {
  std::string name;
  std::string_view type;  // of SQL: TEXT, INTEGER or REAL
};

/// The names are those of SQL without quotes: the key array.rows is in column array_rows.
std::span<const Column> columns();
/// The place of the column. Throws InputError for an unknown one, with a similar name.
std::size_t column_index(std::string_view name);

/// The row of a point: a cell for each column. The figures of a point that failed are NULL.
std::vector<Cell> row_of(const Space& space, const Point& point, const Outcome& outcome);

/// Gives a known row the words of this sweep for its workload and command: the sweep that computed
/// it may have read the same file at another path.
void name_as_here(std::vector<Cell>& row, const Space& space, const Point& point);

/// The cells of the machine's keys, in the order of config_keys().
std::vector<Cell> key_cells(const MachineConfig& machine);

/// "" for NULL; numbers have a dot, and as many digits as it takes to read the same number again.
std::string to_text(const Cell& cell);

}  // namespace weft::sweep
