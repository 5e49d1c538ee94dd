#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace weft::report {

namespace {

/// Columns of a terminal that the text takes. fmt pads by them, and no character takes more columns
/// than it has bytes.
std::size_t columns(std::string_view text) {
  return 2 * text.size() - fmt::formatted_size("{:<{}}", text, text.size());
}

}  // namespace

std::string Style::paint(std::string_view code, std::string_view text) const {
  return colored_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::string signed_text(std::int64_t change) {
  if (change == 0) return "0";
  return fmt::format("{}{}", change < 0 ? '-' : '+',
                     grouped(static_cast<std::uint64_t>(std::abs(change))));
}

void Table::add(std::vector<std::string> row) {
  row.resize(alignment_.size());
  rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t indent) const {
  std::string text;
  for (const std::string& line : lines(indent)) text += line;
  return text;
}

std::vector<std::string> Table::lines(std::size_t indent) const {
  std::vector<std::size_t> widths(alignment_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += alignment_[i] == 'r' ? fmt::format("{:>{}}", row[i], widths[i])
                                   : fmt::format("{:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line + '\n');
  }
  return lines;
}

}  // namespace weft::report
