// A column of a sweep's page: its cells in the shortest of four forms (docs/page.md).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/json.h"
#include "runtime/sweep/columns.h"

namespace weft::report {

class PageColumn {
 public:
  /// Numbers that are not finite count as missing.
  void add(sweep::Cell cell);

  /// One of {"value"}, {"words", "index"}, {"i32"} and {"f64"}.
  Json json() const;

 private:
  bool is_numbers() const;
  bool is_i32() const;
  Json words_json() const;
  template <class Word>
  std::string index_text() const;

  std::unordered_map<sweep::Cell, std::uint32_t> places_;  // in words_
  std::vector<sweep::Cell> words_;                         // each value once
  std::vector<std::uint32_t> index_;                       // of each row, into words_
};

/// A column of texts such as commands, which differ in few of their words: a column for each word.
class PageTexts {
 public:
  void add(const std::string& text);

  /// A list of columns. Joined with spaces, and without those that are null, they are the text.
  Json json() const;

 private:
  std::size_t rows_ = 0;
  std::vector<PageColumn> columns_;
};

}  // namespace weft::report
