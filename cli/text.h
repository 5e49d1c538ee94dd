// Text for people: numbers, colors and aligned columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value);

/// Three significant digits and an SI prefix: si(9.22e-5, "s") is "92.2 us".
std::string si(double value, std::string_view unit);

/// Clears the sign bit that some instructions set in a NaN. With it, NaN would print as "-nan".
double without_nan_sign(double value);

/// A number with its noun: "1 chunk", "1,000 chunks", "2 fetches".
std::string counted(std::uint64_t count, std::string_view thing);

/// A share from 0 to 1 with one decimal: "12.5 %". Only a full share gives "100.0 %".
std::string percent(double share);
/// Same in whole percent and without the unit; only an almost full share keeps its decimal: "12",
/// "99.8", "100".
std::string whole_percent(double share);

/// Colors for a terminal, or none.
class Style {
 public:
  explicit Style(bool coloured = false) : coloured_(coloured) {}

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("1;31", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;

  bool coloured_;
};

/// Aligns cells in columns as wide as their widest cell. Cells are ASCII.
class Table {
 public:
  /// One letter per column: 'l' aligns its cells left, 'r' right.
  explicit Table(std::string_view alignment) : alignment_(alignment) {}

  void add(std::vector<std::string> row);
  /// Each line is `indent` spaces and the cells, two spaces apart.
  std::string text(std::size_t indent) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weft::cli
