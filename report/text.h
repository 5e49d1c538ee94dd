// Text for people: colors and aligned columns; base/figures.h has numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/figures.h"

namespace weft::report {

/// A change: "+1,234", "-5" or "0".
std::string signed_text(std::int64_t change);

/// Colors for a terminal, or none.
class Style {
 public:
  explicit Style(bool colored = false) : colored_(colored) {}

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("1;31", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;

  bool colored_;
};

/// Aligns cells in columns as wide as their widest cell. Cells are UTF-8.
class Table {
 public:
  /// One letter per column: 'l' aligns its cells left, 'r' right.
  explicit Table(std::string_view alignment) : alignment_(alignment) {}

  void add(std::vector<std::string> row);
  /// Each line is `indent` spaces and the cells, two spaces apart.
  std::string text(std::size_t indent) const;
  /// The same line by line, one for each row.
  std::vector<std::string> lines(std::size_t indent) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weft::report
