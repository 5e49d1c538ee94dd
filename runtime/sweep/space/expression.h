// Arithmetic over named numbers, as --where, --link and --goal take it: "rows*cols <= 65536". The
// syntax is muParser's: + - * / ^, comparisons, && and ||, min(a,b), log2(x), ?:.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::sweep {

class Expression {
 public:
  /// `names` are all numbers that the text may name; names may contain dots. `what` is the option's
  /// name in errors. Throws InputError for bad syntax and unknown names.
  Expression(std::string text, std::span<const std::string> names, std::string what);
  ~Expression();
  Expression(Expression&& other) noexcept;
  Expression& operator=(Expression&& other) noexcept;

  const std::string& text() const { return text_; }
  /// The places in `names` of the numbers that the text names, ascending.
  const std::vector<std::size_t>& used() const { return used_; }
  /// `values` are those of all names. Not a number if the arithmetic has no result. Several threads
  /// may ask at once.
  double value(std::span<const double> values) const;

 private:
  struct Parser;  // keeps muParser out of this header

  std::string text_;
  std::string what_;
  std::vector<std::size_t> used_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace weft::sweep
