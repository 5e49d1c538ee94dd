#include "report/sweep/page/page_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "report/page/base64.h"
#include "report/sweep/rows_file.h"

namespace weft::report {
namespace {

using sweep::Cell;

constexpr std::int32_t kNoI32 = std::numeric_limits<std::int32_t>::min();

/// How many characters a cell takes in the list of words, roughly.
std::size_t length_of(const Cell& cell) {
  constexpr std::size_t kNumber = 12;
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? text->size() + 3 : kNumber;
}

std::size_t bytes_of_index(std::size_t words) {
  if (words <= 1U << 8U) return 1;
  return words <= 1U << 16U ? 2 : 4;
}

double number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

std::uint32_t i32_bits(const Cell& cell) {
  const auto* whole = std::get_if<std::int64_t>(&cell);
  return static_cast<std::uint32_t>(whole != nullptr ? *whole : kNoI32);
}

std::uint64_t f64_bits(const Cell& cell) {
  return std::bit_cast<std::uint64_t>(number_of(cell));
}

}  // namespace

void PageColumn::add(Cell cell) {
  const auto* real = std::get_if<double>(&cell);
  if (real != nullptr && !std::isfinite(*real)) cell = Cell();
  const auto next = static_cast<std::uint32_t>(words_.size());
  const auto [place, is_new] = places_.try_emplace(cell, next);
  if (is_new) words_.push_back(std::move(cell));
  index_.push_back(place->second);
}

bool PageColumn::is_numbers() const {
  return std::ranges::none_of(
      words_, [](const Cell& cell) { return std::holds_alternative<std::string>(cell); });
}

bool PageColumn::is_i32() const {
  return std::ranges::all_of(words_, [](const Cell& cell) {
    if (std::holds_alternative<double>(cell)) return false;
    const auto* whole = std::get_if<std::int64_t>(&cell);
    return whole == nullptr ||
           (*whole > kNoI32 && *whole <= std::numeric_limits<std::int32_t>::max());
  });
}

template <class Word>
std::string PageColumn::index_text() const {
  const std::vector<Word> narrow(index_.begin(), index_.end());
  return base64_words<Word>(narrow);
}

Json PageColumn::words_json() const {
  Json words = Json::array();
  for (const Cell& cell : words_) words.push_back(cell_json(cell));
  const std::size_t bytes = bytes_of_index(words_.size());
  return {{"words", std::move(words)},
          {"index", bytes == 1   ? index_text<std::uint8_t>()
                    : bytes == 2 ? index_text<std::uint16_t>()
                                 : index_text<std::uint32_t>()}};
}

Json PageColumn::json() const {
  if (words_.size() < 2) return {{"value", words_.empty() ? Json() : cell_json(words_.front())}};
  std::size_t of_words = index_.size() * bytes_of_index(words_.size());
  for (const Cell& cell : words_) of_words += length_of(cell);
  const bool small = is_i32();
  const std::size_t of_numbers = index_.size() * (small ? 4 : 8);
  if (!is_numbers() || of_words <= of_numbers) return words_json();
  if (small) {
    std::vector<std::uint32_t> values;
    for (const std::uint32_t place : index_) values.push_back(i32_bits(words_[place]));
    return {{"i32", base64_words<std::uint32_t>(values)}};
  }
  std::vector<std::uint64_t> values;
  for (const std::uint32_t place : index_) values.push_back(f64_bits(words_[place]));
  return {{"f64", base64_words<std::uint64_t>(values)}};
}

void PageTexts::add(const std::string& text) {
  std::size_t word = 0;
  for (std::size_t at = 0; at <= text.size(); ++word) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (word == columns_.size()) {
      columns_.emplace_back();
      for (std::size_t i = 0; i < rows_; ++i) columns_.back().add(Cell());
    }
    columns_[word].add(text.substr(at, end - at));
    at = end + 1;
  }
  for (; word < columns_.size(); ++word) columns_[word].add(Cell());
  ++rows_;
}

Json PageTexts::json() const {
  Json columns = Json::array();
  for (const PageColumn& column : columns_) columns.push_back(column.json());
  return columns;
}

}  // namespace weft::report
