#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft::report {

std::string Style::paint(std::string_view code, std::string_view text) const {
  return colored_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

void Table::add(std::vector<std::string> row) {
  row.resize(alignment_.size());
  rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths(alignment_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += alignment_[i] == 'r' ? fmt::format("{:>{}}", row[i], widths[i])
                                   : fmt::format("{:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace weft::report
